// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// How the inputs of a run take turns.
@Suite(.timeLimit(.minutes(10))) struct RunIntakeTests {
    /// The types of the actions so far, and what happens after each.
    private final class Record: Sendable {
        let types = Mutex<[String]>([])
    }

    /// Runs a host without plugins over inputs; a closure sees the types so far after each action.
    private func run(
        _ wires: [Wire], isStrict: Bool = false,
        onAction: @escaping @Sendable ([String]) -> Void = { _ in }
    ) async throws -> (types: [String], summary: Host.Summary, statuses: [InputStatus]) {
        let record = Record()
        let (summary, statuses) = try await TestThread.value {
            let host = Host(
                try .empty(),
                reports: Reporter { _ in }
            ) { dispatched in
                let types = record.types.withLock {
                    $0.append(dispatched.action.type.name)
                    return $0
                }
                onAction(types)
            }
            let summary = try host.run(
                wires.enumerated().map { .stream($1.reading, name: "in\($0)") }, isStrict: isStrict)
            return (summary, host.turn { _ in host.inputs.statuses(host.progress) })
        }
        withExtendedLifetime(wires) {}
        return (record.types.withLock { $0 }, summary, statuses)
    }

    @Test func `an input that stays open is read to what it has, also when that is more than one turn`()
        async throws
    {
        let wire = try Wire.pipe()
        try wire.write(String(repeating: "{\"type\":\"a\"}\n", count: 3_000))
        let run = try await run([wire]) { types in
            // Nothing but what is read can end the run.
            if types.count == 3_000 { wire.closeWriting() }
        }
        #expect(run.types.count == 3_000)
        #expect(run.summary.lines == 3_000)
    }

    @Test func `what inputs may not bring is counted over all of them`() async throws {
        let line = #"{"type":"host/run/ended"}"# + "\n"
        let run = try await run([
            try Wire.holding(String(repeating: line, count: 1_500)), try Wire.holding(line),
        ])
        // The first takes two turns.
        #expect(run.summary.lines == 1_501)
        #expect(run.summary.refused == 1_501)
        #expect(run.types == [])
    }

    @Test func `the inputs of a run are all read, and their lines counted together`() async throws {
        let run = try await run([
            try Wire.holding("{\"type\":\"a\"}\n\n"), try Wire.holding("{\n"),
            try Wire.holding("{\"type\":\"b\"}"),
        ])
        #expect(run.types.sorted() == ["a", "b"])
        #expect(run.summary.lines == 4 && run.summary.blank == 1 && run.summary.rejected == 1)
        #expect(!run.summary.stoppedAtBadData)
    }

    @Test(arguments: [1, 2])
    func `an input that was read to its end has ended, be it alone or one of several`(count: Int) async throws
    {
        let run = try await run((0..<count).map { _ in try Wire.holding("{\"type\":\"a\"}\n") })
        #expect(run.statuses.map(\.hasEnded) == Array(repeating: true, count: count))
        #expect(run.statuses.map(\.lines) == Array(repeating: 1, count: count))
    }

    @Test func `an input in which a strict run stops has not ended`() async throws {
        let run = try await run([try Wire.holding("{\n{\"type\":\"a\"}\n")], isStrict: true)
        #expect(run.statuses.map(\.hasEnded) == [false])
    }

    @Test func `a strict run ends after a line that is no action`() async throws {
        let run = try await run(
            [try Wire.holding("{\"type\":\"a\"}\n{\n{\"type\":\"b\"}\n")], isStrict: true)
        #expect(run.types == ["a"])
        #expect(run.summary.stoppedAtBadData)
        #expect(run.summary.lines == 2)
    }

    // MARK: - Followed files

    /// Emits when the test says so, on the test's own thread.
    private struct Aside: Plugin {
        enum Action: PluginAction { case begin, aside }

        /// Emits `aside`.
        static let output = Mutex<EffectOutput<Action>?>(nil)

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                guard case .begin = action else { return .doNothing }
                return .start { _, started in output.withLock { $0 = started } }
            }
        }
    }

    /// How far the threads of a run are.
    private final class Progress: Sendable {
        /// The thread that reads.
        let reader = Mutex<WatchedThread?>(nil)
        /// Whether another thread works.
        let isHeld = Atomic<Bool>(false)
        /// How many lines of the file would not be read again, when the last of them was processed.
        let remembered = Mutex<Int?>(nil)
    }

    /// Follows a file to its end, of whose lines the last one waits for another thread.
    private static func follow(
        _ path: String, rememberingIn memory: String, _ progress: Progress
    ) throws {
        let version = try #require(SemanticVersion("1.0.0"))
        let aside = LinkedPlugin(
            entry: InstanceConfiguration(id: "a"),
            manifest: PluginManifest(
                id: "aside", version: version, summary: "", principal: "Aside", consumes: ["begin"],
                emits: ["aside"]),
            exports: PluginEntry.exports(of: Aside.self))
        let stop = StopRequest()
        let assembly = try Assembly(
            linking: [aside],
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { _ in }))
        let host = Host(assembly, reports: Reporter { _ in }, stop: stop) { dispatched in
            switch dispatched.action.type.name {
            // What is at hand is still processed, in turns.
            case "a/begin": stop.ask(.control)
            case "a/aside":
                progress.isHeld.store(true, ordering: .sequentiallyConsistent)
                // The reader has nothing left to do but to wait for this thread.
                var reader: WatchedThread?
                repeat { reader = progress.reader.withLock { $0 } } while reader == nil
                if (try? reader?.comesToSleep()) != true { Issue.record("the reader does not wait") }
            case "last": progress.remembered.withLock { $0 = remembered(in: memory) }
            default: break
            }
        }
        let file = try FollowedFile(path, rememberingIn: memory)
        _ = try host.run(
            [.followed(file)], isStrict: false,
            onLine: { lines in
                guard lines == 2_048 else { return }
                _ = try? TestThread<Void> {
                    let output = Aside.output.withLock { $0.take() }
                    output?.send(.aside)
                    output?.finish()
                }
                while !progress.isHeld.load(ordering: .sequentiallyConsistent) { sched_yield() }
            })
    }

    /// How many lines of the only file would not be read again.
    private static func remembered(in memory: String) -> Int? {
        FileSystem.names(in: memory).first.flatMap { FilePlace(in: memory + "/" + $0) }?.lines
    }

    @Test func `how far a file was read is remembered when its last action is done, and not before`()
        async throws
    {
        let folder = try TemporaryFolder()
        let types = ["a/begin"] + Array(repeating: "b", count: 2_047) + ["last"]
        let path = try folder.write(types.map { "{\"type\":\"\($0)\"}\n" }.joined(), to: "in.ndjson")
        let memory = folder("places")
        let progress = Progress()
        try await TestThread.value {
            let reader = try WatchedThread {
                #expect(throws: Never.self) { try Self.follow(path, rememberingIn: memory, progress) }
            }
            progress.reader.withLock { $0 = reader }
            try reader.wait()
        }
        #expect(progress.remembered.withLock { $0 } == 1_024)
        #expect(Self.remembered(in: memory) == 2_049)
        withExtendedLifetime(folder) {}
    }
}
