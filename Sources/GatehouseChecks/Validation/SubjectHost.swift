// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// An ordinary host that runs instances of the plugin under check and records their activity; used on one thread.
final class SubjectHost {
    /// A processed action.
    struct Processed: Sendable {
        /// The action.
        let action: AnyAction
        /// The emitting instance; nil for an action from the check.
        let instance: String?
        /// The local type of an action that the instance applied to its own state; nil for all others.
        var ownType: String?

        /// The parts to compare: type, payload and error mark.
        var text: String {
            "\(action.type.name) \(action.payload?.json() ?? "-")\(action.isError ? " error" : "")"
        }
    }

    /// Records written from any thread.
    private struct Log {
        /// Reports of problems.
        var reports: [HostReport] = []
        /// The number of payloads that did not fit.
        var decodingFailures = 0
        /// The last failure to decode; nil before the first.
        var lastDecodingFailure: CodingFailure?
        /// The processed actions, in order.
        var processed: [Processed] = []

        /// Records a report.
        mutating func add(_ report: HostReport) {
            if case .undecodable(_, _, _, _, let failure) = report {
                decodingFailures += 1
                lastDecodingFailure = failure
            } else if reports.count < SubjectHost.mostReports {
                reports.append(report)
            }
        }
    }

    /// The plugin.
    let subject: Subject
    /// The host.
    let host: Host
    /// The instances, in chain order.
    let instances: [Instance]
    /// Asks the run to end.
    private let stop = StopRequest()
    /// The records.
    private let log: LogBox
    /// Parses lines as a host does.
    private var parser = ActionParser()

    /// The beginning of a step in which the plugin hears an action.
    static let hearing = "when it heard "

    /// The most reports kept; a plugin may cause any number.
    private static let mostReports = 10_000

    /// Shares the records with all threads.
    private final class LogBox: Sendable {
        /// The records, under a lock that is never held while the plugin's code runs.
        let log = Mutex(Log())
    }

    /// Makes instances and starts them.
    ///
    /// - Parameters:
    ///   - ids: the ids of the instances; one under the plugin's own id by default.
    ///   - records: whether to record processed actions.
    ///   - isReal: whether its settings say what it hears and the time is the real one, as in a run.
    init(
        _ subject: Subject, running ids: [String]? = nil, records: Bool = true, isReal: Bool = false
    ) throws(CheckDiagnostic) {
        let box = LogBox()
        let exports = try subject.load().exports
        let report: @Sendable (HostReport) -> Void = { report in
            box.log.withLock { $0.add(report) }
        }
        subject.announce(
            "while its parts were made with the settings \(Self.shown(subject.request.settings))")
        let assembly: Assembly
        do throws(CodingFailure) {
            assembly = try Assembly(
                linking: (ids ?? [subject.id]).map { id in
                    // With rules it hears more than by default: all of that is tried.
                    LinkedPlugin(
                        entry: subject.planned(as: id).entry,
                        manifest: isReal ? subject.manifest : subject.manifest.withoutNarrowing,
                        exports: exports)
                },
                dependencies: isReal
                    ? subject.dependencies(time: { UnixTime.now }, report) : subject.dependencies(report))
        } catch {
            throw subject.refusal(of: subject.request.settings, error)
        }
        instances = assembly.instances
        subject.announce("when it was started")
        nonisolated(unsafe) let made = assembly
        host = unsafe Host(made, reports: Reporter(report), stop: stop)
        self.subject = subject
        log = box
        if records {
            host.turn { _ in
                host.store.hooks.onAction = { dispatched in
                    let processed = Processed(
                        action: dispatched.action, instance: dispatched.dispatcher.instance)
                    box.log.withLock { $0.processed.append(processed) }
                }
                host.store.hooks.onOwnAction = { action in
                    box.log.withLock { $0.processed[$0.processed.endIndex - 1].ownType = action.type.name }
                }
            }
        }
    }

    /// The first instance.
    var instance: Instance { instances[0] }

    /// The reports so far, except for payloads that did not fit.
    var reports: [HostReport] { log.log.withLock { $0.reports } }

    /// The processed actions, in order.
    var processed: [Processed] { log.log.withLock { $0.processed } }

    /// The emitted actions that were let through.
    var outputs: [Processed] { processed.filter { $0.instance != nil } }

    /// Sends an action; returns the failure, or nil when the plugin accepts it.
    func decodingFailure(sending action: ExampleAction) -> CodingFailure? {
        let before = log.log.withLock { $0.decodingFailures }
        send(action)
        return log.log.withLock { $0.decodingFailures > before ? $0.lastDecodingFailure : nil }
    }

    // MARK: - Actions

    /// Sends an action under the local name as a line of input, and waits for its immediate consequences.
    func send(_ action: ExampleAction, to id: String? = nil) {
        send(
            line: line(of: action, to: id),
            as: "\(Self.hearing)\(action.type) with \(action.payload.map(Self.shown) ?? "no payload")")
    }

    /// Sends a line of input and waits for its immediate consequences; returns whether it is an action.
    @discardableResult
    func send(line: String, as step: String) -> Bool {
        guard let action = action(of: line) else { return false }
        subject.announce(step)
        dispatch(action)
        if subject.request.isPatient, step.hasPrefix(Self.hearing), !host.queue.activity.isIdle {
            subject.announce("in an effect, after it had heard \(step.dropFirst(Self.hearing.count))")
            rest(within: .milliseconds(200))
        }
        return true
    }

    /// Sends everything that the plugin is known to accept.
    func sendAll() {
        for action in subject.recording { send(action) }
    }

    /// Sends everything that the plugin is known to accept, and waits for the consequences.
    func exercise() {
        sendAll()
        rest()
    }

    /// Processes an action with its immediate consequences.
    func dispatch(_ action: AnyAction) {
        host.dispatch(action, from: ActionSource(file: "input", function: "", line: 1, info: nil))
        host.settle()
    }

    /// Returns the action of an example, as parsed from a line; nil where a host would reject the line.
    func action(of example: ExampleAction, to id: String? = nil) -> AnyAction? {
        action(of: line(of: example, to: id))
    }

    /// Returns an action as a line for an instance.
    private func line(of example: ExampleAction, to id: String?) -> String {
        ExampleAction(subject.global(example.type, of: id), payload: example.payload).value.json()
    }

    /// Returns the action of a line; nil for a line that a host rejects, or that belongs to the host.
    private func action(of line: String) -> AnyAction? {
        if case .action(let action) = parser.parse(line: line, number: 1) { action } else { nil }
    }

    /// Formats a payload for messages.
    static func shown(_ payload: Value) -> String {
        let text = payload.json()
        return text.utf8.count > 120 ? "\(payload.kindName) of \(text.utf8.count) bytes" : text
    }

    // MARK: - Waiting and ending

    /// Waits until no effect holds a run open; returns whether that came in time.
    @discardableResult
    func rest(within limit: Duration = .seconds(1)) -> Bool {
        host.settle()
        return pause(limit) { host.queue.activity.isIdle }
    }

    /// Waits for a duration, or until a condition holds; returns whether it came to hold.
    @discardableResult
    func pause(_ duration: Duration, until isOver: () -> Bool = { false }) -> Bool {
        let end = ContinuousClock.now.advanced(by: duration)
        while !isOver() {
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else { return false }
            host.idle.wait(atMost: Int32(min(left.rounded(.up), 100)))
            host.processPosted()
        }
        return true
    }

    /// Moves the gate of the first instance.
    func moveGate(open: Bool) {
        subject.announce(open ? "when its gate opened" : "when its gate closed")
        dispatch(
            AnyAction(open ? HostActions.openGate : HostActions.closeGate, payload: .string(subject.id)))
    }

    /// Returns the state of the first instance, or of a later one; nil for a plugin that keeps none.
    ///
    /// - Throws: that the state cannot be written, so there is nothing to compare; another check says so.
    func state(of index: Int = 0) throws(CheckDiagnostic) -> Value? {
        do throws(CodingFailure) {
            return try writtenState(of: index)
        } catch {
            throw .skip("its state cannot be written as JSON, see state/round-trip")
        }
    }

    /// Returns the state for callers that report an unwritable one themselves.
    func writtenState(of index: Int = 0) throws(CodingFailure) -> Value? {
        subject.announce("while its state was written")
        return try host.turn { _ throws(CodingFailure) in try instances[index].slice.value() }
    }

    /// Ends the run as an operator does.
    ///
    /// - Returns: the work that did not finish in time.
    func end(within grace: Duration = .seconds(1)) -> [UnfinishedWork] {
        subject.announce("while it was stopped")
        stop.ask(.control)
        return (try? host.run([], isStrict: false, grace: grace))?.givenUp ?? []
    }

    /// Ends the run, and releases the instances as after a reload; their later outputs are dropped and counted.
    func retire() {
        _ = end()
        subject.announce("when it was released")
        host.turn { $0.releaseAll() }
    }

    /// How many actions have come since the instances were released.
    var lateOutputs: Int { host.turn { _ in host.store.past.lateOutputs } }
}
