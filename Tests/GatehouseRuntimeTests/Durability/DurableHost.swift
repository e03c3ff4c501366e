// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import HostSimulation
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// A host with a journal in a folder of its own, over real libraries, as `gatehouse run` makes it.
///
/// Used by one test at a time, on a thread that may wait.
final class DurableHost {
    /// The host, which goes on where the one before has ended.
    let host: Host
    /// What it writes.
    let journal: HostJournal
    /// What it has found.
    let recovery: Recovery
    /// What was said before the first action.
    let diagnostics: [String]
    /// What was said of its instances.
    let warnings: [String]
    /// The folder of the configuration.
    private let folder: TemporaryFolder
    /// The disk with its journal, whose power fails for copies only; nil for that of the system, and then crashes are deaths of the process.
    private let disk: SimulatedDisk?
    /// What came out of it.
    private let record: Record
    /// The images of all generations.
    private let images: ImageCache
    /// Takes it from one configuration to the next.
    private let procedure: ReloadProcedure?
    /// What that reads.
    private let text: Text

    /// What is in quarantine then.
    private let quarantine = Quarantine()

    /// A configuration, read on any thread.
    private final class Text: Sendable {
        let now: Mutex<String>
        init(_ text: String) { now = Mutex(text) }
    }

    /// Why instances are in quarantine, by id, read on any thread.
    private final class Quarantine: Sendable {
        let now = Mutex<[String: String]>([:])
    }

    /// What closures leave behind, from any thread.
    private final class Record: Sendable {
        /// The actions in the order in which the store took them: type, payload and where they came from.
        let actions = Mutex<[String]>([])
        /// What was reported.
        let reports = Mutex<[String]>([])
    }

    /// Starts a host.
    ///
    /// - Parameters:
    ///   - plugins: the entries of the configuration.
    ///   - more: other keys, each with a comma after it.
    ///   - journal: the value of its key.
    ///   - discovery: what happens to libraries that no entry names.
    ///   - quarantine: why instances are in quarantine, by id.
    ///   - fallen: instances whose reducers do not come through the past.
    ///   - cache: where copies of libraries are, for hosts that share them; nil for one that has its own.
    ///   - seed: from which follows what a simulated disk does; nil for the disk of the system.
    init(
        _ plugins: String, libraries: [String], in folder: TemporaryFolder, more: String = "",
        journal: String = "{}", acceptsLoss: Bool = false, discovery: String = "activate",
        quarantine: [String: String] = [:],
        fallen: [FallenInstance] = [], sharing cache: TemporaryFolder? = nil,
        onDiskWith seed: UInt64? = nil
    ) throws {
        self.folder = folder
        disk = seed.map { SimulatedDisk(folder: folder("journal"), seed: $0) }
        for library in libraries { try folder.copyLibrary(library) }
        let text = Self.text(plugins, more, journal: journal, discovery: discovery)
        let (now, path) = (Text(text), folder.path)
        self.text = now
        images = ImageCache(folder: (cache ?? folder)("cache"))
        let record = Record()
        self.record = record
        let reporter = Reporter { report in record.reports.withLock { $0.append(report.description) } }
        var assembler = Assembler(
            cache: images,
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { reporter.send($0) }), startsWorkers: true)
        // This process is no worker of anything.
        assembler.workerProgram = BuiltProducts.program
        self.quarantine.now.withLock { $0 = quarantine }
        let plan = Self.plan(text, in: folder.path, quarantine)
        if let failure = plan.failure { throw failure }
        let place = plan.configuration.journalFolder(from: folder.path) ?? ""
        self.journal = try HostJournal(
            plan.configuration.journal ?? JournalConfiguration(), folder: place, acceptsLoss: acceptsLoss,
            system: disk.map { _ in SimulatedDisk.sharedSystem }, on: disk?.calls ?? .system
        ) {
            failure in
            record.reports.withLock { $0.append(failure.description) }
        } onDiagnostic: { diagnostic in
            record.reports.withLock { $0.append(diagnostic.description) }
        }
        // Whoever fails to start lets go of the journal.
        let opened = self.journal
        var isStarted = false
        defer { if !isStarted { opened.close() } }
        let kept = opened.keepImages(of: plan)
        let scratch = try ScratchFolder()
        var reducer = InProcessReducer(
            images: assembler.cache, dependencies: .past(at: PastClock(), dataDirectory: scratch.path))
        reducer.fallen = fallen
        var present = reducer
        present.plan = plan
        recovery = try Recovery(
            folder: place, acceptsLoss: acceptsLoss,
            by: PastWalk.Reducers(recorded: reducer, present: present))
        let assembly = try recovery.assemble(plan, by: assembler)
        warnings = assembly.diagnostics.warnings.map(\.description).filter { warning in
            !quarantine.contains { warning == "\($0.key): \($0.value)" }
        }
        host = Host(assembly, by: JournalledAdmission(opened, from: recovery), reports: reporter) {
            dispatched in
            let action = dispatched.action
            let payload = action.payload.map { " \($0.json())" } ?? ""
            record.actions.withLock { $0.append(action.type.name + payload) }
        }
        procedure = ReloadProcedure(
            host, in: nil, running: plan, grace: .zero, history: nil,
            shadows: Shadows(nil, recorded: { 0 }, tell: { _ in }),
            read: { [held = self.quarantine] _ in
                Self.plan(now.now.withLock { $0 }, in: path, held.now.withLock { $0 })
            })
        isStarted = true
        diagnostics = (kept + recovery.diagnostics).map {
            $0.description.replacing(folder.path, with: "<folder>")
        }
    }

    /// The text of a configuration.
    private static func text(
        _ plugins: String, _ more: String, journal: String, discovery: String
    ) -> String {
        #"{ "directory": ".", "discovery": "\#(discovery)", "journal": \#(journal), \#(more)"plugins": [\#(plugins)] }"#
    }

    /// The plan of a configuration.
    private static func plan(_ text: String, in folder: String, _ quarantine: [String: String]) -> HostPlan {
        Planner(trust: FileTrust(isStrict: false), baseDirectory: folder)
            .plan(ConfigurationParser.parse(Array(text.utf8), file: "plugins.json"))
            .quarantining { planned in
                quarantine[planned.id].map { ($0, Diagnostic(.warning, instance: planned.id, $0)) }
            }
    }

    /// Reloads with other entries and keys, as `init` takes them; each library counts as rehearsed, because children are the program's.
    func reload(
        _ plugins: String, more: String = "", journal: String = "{}", discovery: String = "activate",
        quarantine: [String: String] = [:]
    ) throws -> ReloadOutcome {
        let text = Self.text(plugins, more, journal: journal, discovery: discovery)
        self.text.now.withLock { $0 = text }
        self.quarantine.now.withLock { $0 = quarantine }
        Self.plan(text, in: folder.path, quarantine).rememberRehearsal(in: images)
        return try #require(procedure).perform(expecting: nil)
    }

    /// Waits until the workers have done all that there is to do.
    func awaitWorkers() throws {
        while try host.store.between(
            whenIdle: true,
            { [host] in
                host.generation.instances.contains { ($0.worker?.standing.waiting ?? 0) > 0 }
            })
        {
            // Not a moment in which they have no core.
            usleep(200)
        }
    }

    /// Closes the journal, and ends the workers.
    func end() throws {
        try host.closeJournal()
        host.turn { turn in for instance in turn.instances { instance.worker?.end() } }
    }

    /// Gives lines to the host, and waits for the end of the run.
    @discardableResult
    func run(_ lines: String...) throws -> Host.Summary {
        let input = try folder.write(lines.map { $0 + "\n" }.joined(), to: "input")
        let descriptor = unsafe open(input, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure("open \(input)") }
        defer { close(descriptor) }
        return try host.run([.stream(descriptor, name: "input.ndjson")], isStrict: false, grace: .zero)
    }

    /// The state as it is.
    var state: Value { get throws { try host.snapshot() } }

    /// The actions so far.
    var actions: [String] { record.actions.withLock { $0 } }

    /// What was reported so far.
    var reports: [String] { record.reports.withLock { $0 } }

    /// Waits until all that has happened is recorded.
    private func settle() throws {
        // A worker's answer may be in the drain, and what was dispatched waits for it.
        if !host.queue.isCurrent {
            try host.store.between(whenIdle: true) { [journal] in journal.recorder.catchUp() }
            // A snapshot may stand at the same rest.
            try host.store.between(whenIdle: true) {}
        }
        let result = PendingCommit()
        journal.recorder.handOver { result.finish($0) }
        try result.wait()
    }

    /// What a crash would leave at this moment of all that is settled, in a folder of its own.
    func crash() throws -> TemporaryFolder {
        try settle()
        return try leave()
    }

    /// What a crash would leave at this very moment, in a folder of its own.
    func leave() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        _ = try copy.makeFolder("journal")
        if let disk {
            disk.fork(into: copy("journal"))
            #expect(try disk.endFork())
        } else {
            // The promise first: it is never ahead of what comes after it.
            for name in ["journal.promise", "journal.sqlite", "journal.sqlite-wal"]
            where FileSystem.exists(folder("journal/" + name)) {
                try copy.write(FileSystem.read(folder("journal/" + name)), to: "journal/" + name)
            }
        }
        try keepImages(in: copy)
        return copy
    }

    /// What a failure of the power leaves that comes in a step of the simulated disk while something is done and settled, in a folder of its
    /// own; nil where it has fewer steps.
    ///
    /// - Parameter step: the step, counted from 1.
    func failPower<Result>(in step: UInt64, during body: () throws -> Result) throws -> (
        Result, TemporaryFolder?
    ) {
        try settle()
        let disk = try #require(disk)
        let copy = try TemporaryFolder()
        _ = try copy.makeFolder("journal")
        try keepImages(in: copy)
        disk.fork(into: copy("journal"), in: step)
        let result = try body()
        try settle()
        let isLeft = try disk.endFork()
        try keepImages(in: copy)
        return (result, isLeft ? copy : nil)
    }

    /// Copies the images that are beside the journal and not yet in a folder into it.
    private func keepImages(in copy: TemporaryFolder) throws {
        if !FileSystem.exists(copy("journal/images")) { _ = try copy.makeFolder("journal/images") }
        for digest in FileSystem.names(in: folder("journal/images")) {
            let place = "journal/images/" + digest
            if FileSystem.exists(copy(place)) { continue }
            _ = try copy.makeFolder(place)
            for name in FileSystem.names(in: folder(place)) {
                let path = place + "/" + name
                try FileSystem.write(FileSystem.read(folder(path)), to: copy(path), mode: 0o500)
            }
        }
    }
}

extension HostJournal {
    /// Commits an action that is not dispatched, as a crash leaves it; returns its cause.
    func accept(_ action: AnyAction, from source: ActionSource) throws(JournalFailure) -> ActionCause {
        let number = recorder.numbers(forInputs: 1)
        recorder.accept([JournalInput(number: number, source: source, action: action)])
        try commit()
        return ActionCause(.input, number)
    }
}
