// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Checks whether a plugin does what every plugin should.
///
/// Static checks read the bytes alone. Each check that runs code of the plugin has its own process, a child of this one, which
/// is ended when its time or memory is used up, together with everything started there. A check that does not pass skips those
/// that rely on it.
package final class Validation {
    /// The facts about the file, found without running it.
    package let inspection: LibraryInspection
    /// The seed of random payloads.
    package let seed: UInt64
    /// Warnings about where the library is mapped from; known once checks have run.
    package private(set) var warnings: [String] = []

    /// The bytes to load; nil for a file that is no plugin of this host.
    private let content: ImageContent?
    /// Provides the mapped images.
    private let images: ImageCache
    /// The actions that the author recorded.
    private let input: [ExampleAction]
    /// The states of earlier versions.
    private let states: [VersionedState]
    /// The settings of instances.
    private let settings: Value
    /// The common part of every child's request; nil before it is known, and for a file that cannot be loaded.
    private var request: ValidationRequest?
    /// The results so far, by name.
    private var done: [String: CheckResult] = [:]
    /// Becomes readable on a request to end; nil where there is none.
    private let stop: Int32?
    /// Whether a request to end has come.
    private let wasStopped = Atomic(false)
    /// The number of children that have crashed.
    private let deaths = Atomic(0)

    /// The most crashed children that write a backtrace, each of which takes a moment.
    private static let mostBacktraces = 3

    /// Inspects a file.
    ///
    /// - Parameters:
    ///   - seed: the seed of random payloads; the same seed makes the same payloads.
    ///   - input: actions that the author recorded, under the plugin's local names.
    ///   - states: states that earlier versions of the plugin wrote.
    ///   - settings: the settings of instances, an object.
    ///   - images: provides the mapped images.
    ///   - stop: a descriptor that becomes readable on a request to end; nil where there is none.
    /// - Throws: when the file cannot be read.
    package init(
        path: String, seed: UInt64 = 1, input: [ExampleAction] = [], states: [VersionedState] = [],
        settings: Value = .object(Members()), images: ImageCache = ImageCache(),
        stop: Int32? = nil
    ) throws(LibraryFileError) {
        inspection = try LibraryInspection(path: path)
        self.seed = seed
        self.input = input
        self.states = states
        self.settings = settings
        self.images = images
        self.stop = stop
        content =
            inspection.verdict.isAccepted
            ? try ImageContent(
                SealedFile(path: path, trust: nil), with: inspection.verdict.companions) : nil
        Orphans.adopt()
    }

    /// Whether checks were left out because of a request to end.
    package var isStopped: Bool { wasStopped.load(ordering: .relaxed) }

    /// Performs checks, and passes each result on in the order of the table.
    ///
    /// Prerequisite checks run too, and are passed on only if they do not pass.
    package func perform(_ checks: [ValidationCheck], onResult: (CheckResult) -> Void) -> [CheckResult] {
        prepare()
        let selected = Set(checks.map(\.name))
        let names = Set(checks.flatMap(Self.needs))
        let needed = ValidationCheck.all.filter { names.contains($0.name) }
        var told: [CheckResult] = []
        var next = 0
        for depth in 0...(needed.map(\.depth).max() ?? 0) {
            let round = needed.filter { $0.depth == depth && done[$0.name] == nil }
            let attempts = Parallel.map(round.map { Attempt(validation: self, check: $0) }, from: 2) {
                $0.perform()
            }
            for (result, examples) in attempts {
                done[result.name] = result
                if let examples { request?.examples = examples }
            }
            Orphans.end()
            if isStopped { break }
            while next < needed.count, let result = done[needed[next].name] {
                next += 1
                guard selected.contains(result.name) || result.isBad else { continue }
                told.append(result)
                onResult(result)
            }
        }
        return told
    }

    // MARK: - Implementation details

    /// Returns the names of a check and all its prerequisites.
    private static func needs(_ check: ValidationCheck) -> [String] {
        guard check.runsCode else { return [check.name] }
        // Code of a refused library never runs.
        let before = check.prerequisite.flatMap { ValidationCheck[$0] }.map(needs)
        return [check.name] + (before ?? ValidationCheck.library.map(\.name))
    }

    /// Maps the image.
    private func prepare() {
        guard request == nil, let content, let note = inspection.verdict.note else { return }
        do throws(LoadingError) {
            let path = try images.path(of: content, from: .cache)
            request = ValidationRequest(
                path: path ?? "/proc/self/fd/\(content.file.descriptor)", name: content.file.name,
                note: note.value,
                seed: seed, input: input)
            request?.states = states
            request?.settings = settings
            request?.words = inspection.fieldNames
            inherited = path == nil ? [content.file.descriptor] : []
        } catch {
            imageFailure = error.sentences.joined(separator: "; ")
        }
        warnings = images.settle()
    }

    /// Descriptors through which children find the image.
    private var inherited: [Int32] = []
    /// Why the image is unavailable; nil without a failure.
    private var imageFailure: String?

    /// Why a check that runs code cannot be performed; nil when it can.
    fileprivate func obstacle(to check: ValidationCheck) -> String? {
        if content == nil { return "the host refuses the library, see library/* or \"gatehouse inspect\"" }
        guard let prerequisite = check.prerequisite.flatMap({ done[$0] }) else { return nil }
        switch prerequisite.outcome {
        case .pass, .warn: return nil
        case .skip: return prerequisite.sentences.first
        case .fail, .crash: return "\(prerequisite.name) is not passed"
        }
    }

    /// One check about to be performed.
    ///
    /// `@unchecked Sendable`: what it reads of the validation is written between rounds only, by the thread that waits for
    /// all attempts of a round; the count of deaths is atomic.
    private struct Attempt: @unchecked Sendable {
        /// The validation.
        let validation: Validation
        /// The check to perform.
        let check: ValidationCheck

        /// Performs the check; returns the accepted actions too, where the check finds those out.
        func perform() -> (CheckResult, [ExampleAction]?) {
            switch check.work {
            case .file(let work): return (CheckResult(check.name, work(validation.inspection)), nil)
            case .child, .worker:
                let isInWorker = if case .worker = check.work { true } else { false }
                if let reason = validation.obstacle(to: check)
                    ?? (isInWorker ? validation.obstacleToWorker : nil)
                {
                    return (CheckResult(check.name, .skip(reason)), nil)
                }
                guard var request = validation.request else {
                    let reason = validation.imageFailure ?? "the library cannot be mapped"
                    return (CheckResult(check.name, .fail(reason)), nil)
                }
                request.check = check.name
                do throws(ChildFailure) {
                    return isInWorker
                        ? (try validation.compare(check, &request), nil)
                        : try validation.follow(check, &request)
                } catch {
                    return (CheckResult(check.name, .crash("\(error)")), nil)
                }
            }
        }
    }

    /// Returns advice for an author about an end.
    private static func advice(_ end: ChildEnd) -> String {
        switch end {
        case .exit: "do not end the process; leave that to the host"
        case .hung:
            "return at once from all that the host calls, also from what cancels an effect, and do long work in effects"
        case .grown, .outgrown: "bound what the plugin keeps"
        case .silent: "close only what the plugin has opened"
        case .signal, .starved, .finished, .stranger, .stopped: "correct the plugin"
        }
    }

    /// Performs a check in a child; repeats it if the plugin ended it while effects may have run, to find the cause.
    private func follow(
        _ check: ValidationCheck, _ request: inout ValidationRequest
    ) throws(ChildFailure) -> (CheckResult, [ExampleAction]?) {
        let first = try attempt(check, &request)
        guard let doubtful = first.doubtful, !isStopped else { return (first.result, first.examples) }
        request.isPatient = true
        let second = try attempt(check, &request).result
        return (second.outcome == .crash ? second : doubtful, nil)
    }

    /// Why the plugin cannot run in a worker without an entry for it; nil where it can.
    private var obstacleToWorker: String? {
        guard let need = inspection.verdict.note.flatMap({ WorkerNeed(of: $0.manifest) }) else { return nil }
        let lack = need.grant.map { ", for which only an entry can name \($0.things)" }
        return "it \(need.deed)\(need.obstacle ?? lack ?? "")"
    }

    /// The library as a host judges it; skips the check where that is another one than was inspected.
    private func candidate() throws(CheckDiagnostic) -> PluginFolder.Candidate {
        let (folder, name) = SystemFile.parts(of: inspection.path)
        let candidate = PluginFolder.candidate(name, in: folder, trust: FileTrust(isStrict: false))
        guard candidate.imageDigest == nil || candidate.imageDigest == content?.digest else {
            throw .skip("the file has changed meanwhile; validate it again")
        }
        return candidate
    }

    /// Compares what the plugin answers in a child with what it answers in a worker.
    ///
    /// Another round follows when they differ: answers that differ from run to run depend on time or chance, and tell nothing.
    private func compare(_ check: ValidationCheck, _ request: inout ValidationRequest) throws(ChildFailure)
        -> CheckResult
    {
        var first: (host: SampleAnswers, inWorker: SampleAnswers)?
        while true {
            let found = try attempt(check, &request)
            guard let host = found.answers else { return found.result }
            do throws(CheckDiagnostic) {
                let trial = try WorkerTrial(try candidate(), settings: settings, images: images)
                let inWorker = try trial.answers(to: request.examples + input)
                guard host.isComplete, inWorker.isComplete else {
                    throw .skip(
                        "it lives in a worker, but its effects do not end by themselves, so that its answers cannot be compared"
                    )
                }
                let differences = inWorker.differences(from: host)
                if differences.isEmpty { throw .pass }
                if let first {
                    throw first == (host, inWorker)
                        ? .fail(forEach: differences)
                        : .skip("its answers differ from run to run, so that they cannot be compared")
                }
                first = (host, inWorker)
            } catch {
                return CheckResult(check.name, error)
            }
        }
    }

    /// The diagnostics of one child.
    private struct Found {
        /// The result.
        let result: CheckResult
        /// The actions that the plugin accepts, where the check finds those out.
        var examples: [ExampleAction]?
        /// What it makes of its sample actions, where the check asks for that.
        var answers: SampleAnswers?
        /// The result where either an effect or the last action may have ended the child; nil if certain.
        var doubtful: CheckResult?
    }

    /// Performs a check in one child.
    private func attempt(_ check: ValidationCheck, _ request: inout ValidationRequest) throws(ChildFailure)
        -> Found
    {
        let child = try HostChild(
            inspection.verdict.match?.version.program ?? HostChild.ownProgram, .probe, request: request.bytes,
            images: inherited,
            tracesCalls: deaths.load(ordering: .relaxed) < Self.mostBacktraces)
        let limits = HostChild.Limits(time: check.limit, isRenewed: false, memory: ValidationCheck.memory)
        let outcome = child.follow(limits, stop: stop) { ValidationEvent(line: $0) != nil }
        if outcome.end == .stopped {
            wasStopped.store(true, ordering: .relaxed)
            return Found(result: CheckResult(check.name, .skip("the run was asked to end")))
        }
        var step = "before it did anything"
        var examples: [ExampleAction]?
        var answers: SampleAnswers?
        var diagnostic: CheckDiagnostic?
        for event in outcome.lines.compactMap({ ValidationEvent(line: $0) }) {
            switch event {
            case .step(let text): step = text
            case .examples(let found): examples = found
            case .answers(let found): answers = found
            case .diagnostic(let found): diagnostic = found
            case .end: break
            }
        }
        if let diagnostic, outcome.end == .finished {
            return Found(
                result: CheckResult(check.name, diagnostic), examples: examples, answers: answers)
        }
        if !request.isPatient { deaths.add(1, ordering: .relaxed) }
        let end = outcome.end.text ?? "ended without a word"
        let calls = Backtrace.lines(in: outcome.words, library: request.name)
        let crash = { (place: String) in
            CheckResult(check.name, .crash("it \(end) \(place); \(Self.advice(outcome.end))"), calls: calls)
        }
        var found = Found(result: crash(step))
        switch outcome.end {
        case .signal, .exit:
            guard !request.isPatient, step.hasPrefix(SubjectHost.hearing) else { break }
            found.doubtful = crash(step + ", or in an effect of what it had heard before")
        case .hung, .grown, .outgrown, .starved, .silent, .finished, .stranger, .stopped: break
        }
        return found
    }
}
