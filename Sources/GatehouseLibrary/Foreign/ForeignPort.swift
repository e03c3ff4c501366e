// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// A plugin's access to the host through the number of an instance, from any thread.
///
/// It outlives the instance while a call is in progress; after it is closed every call is answered with `gone`. No lock is held
/// while a plugin's code runs, or while an action is handed over.
final class ForeignPort: Sendable {
    /// A call of the host in which the plugin has fewer, or more, rights than otherwise.
    enum Call {
        /// The call that makes the instance.
        case create
        /// The call that changes the state.
        case reduce
        /// The call that decides about an action.
        case intercept
    }

    /// The reason why an instance is not made.
    struct Objection {
        /// The setting that is wrong.
        let place: JSONPointer
        /// The reason in the plugin's words.
        let reason: String
    }

    /// The state that the lock guards.
    private struct Content {
        /// The current call, and the number of its thread; nil for any call without special rules.
        var call: (kind: Call, thread: UInt)?
        /// The host's services; nil before they are injected.
        var services: HostServices?
        /// Lines that were logged before that.
        var lines: [(PluginLog.Level, String)] = []
        /// Takes emitted actions; nil before the start.
        var output: AnyActionHandler<AnyAction>?
        /// The state as JSON; nil for an instance that keeps none.
        var state: [UInt8]?
        /// The work in progress beside the drain.
        var works: [UInt64: ForeignWork] = [:]
        /// The number of the work that began last.
        var lastWork: UInt64 = 0
        /// Why `create` is about to return nothing.
        var objection: Objection?
        /// The replacement of the intercepted action.
        var replacement: AnyAction?
        /// Ends the long work that was announced last; nil when there is none.
        var endLongWork: (@Sendable () -> Void)?
        /// Whether the instance is gone.
        var isClosed = false

        /// Removes the work with a token from the table; nil for none.
        mutating func takeWork(named token: [UInt8]) -> ForeignWork? {
            guard !token.isEmpty, let found = works.values.first(where: { $0.token == token }) else {
                return nil
            }
            return works.removeValue(forKey: found.number)
        }

        /// Whether the calling thread is in a call of this kind.
        func isIn(_ kind: Call) -> Bool {
            guard let call, call.kind == kind else { return false }
            return call.thread == StoreThread.current
        }
    }

    /// The maximum number of works in progress.
    private static let mostWorks = 10_000
    /// How many lines are kept until they can be logged.
    private static let mostLines = 64

    /// The number by which the plugin knows the instance.
    let number: UInt64
    /// The plugin, as the source of the actions it emits.
    private let source: ActionSource
    /// The state of the port, guarded by the lock.
    private let content = Mutex(Content())
    /// Reads the plugin's JSON.
    private let reader = SharedForeignReader()
    /// Reports unreadable data to the operator; called in the drain.
    private let report: @Sendable (CodingFailure) -> Void
    /// Tells the plugin that work was cancelled; called in the drain.
    private let onCancel: @Sendable (UInt64) -> Void
    /// Whether the plugin can perform work that has waited.
    private let performs: Bool
    /// Has it perform such work, by number, key and memo; called in the drain.
    private let onKept: @Sendable (UInt64, [UInt8], [UInt8]) -> Void

    /// Creates the port of an instance of the plugin with an id.
    init(
        number: UInt64, plugin id: String, performs: Bool,
        report: @escaping @Sendable (CodingFailure) -> Void,
        onCancel: @escaping @Sendable (UInt64) -> Void,
        onKept: @escaping @Sendable (UInt64, [UInt8], [UInt8]) -> Void
    ) {
        self.number = number
        self.report = report
        self.onCancel = onCancel
        self.performs = performs
        self.onKept = onKept
        source = ActionSource(file: id, function: "", line: 0, info: nil)
    }

    // MARK: - What the host does

    /// Makes a call with special rules.
    func during<Result>(_ kind: Call, _ body: () -> Result) -> Result {
        content.withLock { $0.call = (kind, StoreThread.current) }
        defer { content.withLock { $0.call = nil } }
        return body()
    }

    /// Takes the plugin's reason for making no instance; nil when it gave none.
    func takeObjection() -> Objection? {
        content.withLock { content in
            defer { content.objection = nil }
            return content.objection
        }
    }

    /// Takes the plugin's replacement of an intercepted action; nil when the action continues unchanged.
    func takeReplacement() -> AnyAction? {
        content.withLock { content in
            defer { content.replacement = nil }
            return content.replacement
        }
    }

    /// Injects the host's services, and logs the plugin's lines so far.
    func provide(_ services: HostServices) {
        let lines = content.withLock { content in
            content.services = services
            defer { content.lines = [] }
            return content.lines
        }
        for (level, line) in lines { services.log(level, line) }
    }

    /// Lets the plugin emit from here on.
    func open(_ output: AnyActionHandler<AnyAction>) { content.withLock { $0.output = output } }

    /// The state as the plugin sees it; nil for an instance that keeps none.
    var state: [UInt8]? {
        get { content.withLock { $0.state } }
        set { content.withLock { $0.state = newValue } }
    }

    /// Checks that the plugin's bytes are JSON.
    func check(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        try reader.check(bytes)
    }

    /// Cancels all work except that of one kind.
    func cancelWorks(except kind: Activity.Kind? = nil) {
        let works = content.withLock { content in
            let works = content.works.values.filter { $0.kind != kind }.sorted { $0.number < $1.number }
            for work in works { content.works[work.number] = nil }
            return works
        }
        for work in works { cancel(work) }
    }

    /// Releases everything; later requests of the plugin are refused.
    func close() {
        let before = content.withLock { content in
            let before = content
            content = Content()
            content.isClosed = true
            return before
        }
        before.endLongWork?()
        for work in before.works.values { work.cancel() }
    }

    // MARK: - What the plugin asks for

    /// Records the reason why `create` returns nothing.
    func refuse(_ objection: Objection) -> ForeignAnswer {
        content.withLock { content in
            guard !content.isClosed else { return .gone }
            guard content.isIn(.create) else { return .notNow }
            content.objection = objection
            return .done
        }
    }

    /// Appends an action to the queue.
    func emit(
        for work: UInt64, _ type: UnsafeRawBufferPointer, error: Bool, payload: UnsafeRawBufferPointer
    ) -> ForeignAnswer {
        let access: Access = content.withLock { content in
            guard !content.isClosed else { return .refused(.gone) }
            guard let output = content.output, !content.isIn(.reduce) else { return .refused(.notNow) }
            if work == 0 { return .granted(output) }
            guard let work = content.works[work] else { return .refused(.gone) }
            return .granted(work.output)
        }
        switch access {
        case .refused(let answer): return answer
        case .granted(let output):
            switch unsafe read(type, error: error, payload: payload) {
            case .success(let action):
                output.dispatch(DispatchedAction(action, dispatcher: source))
                return .done
            case .failure(let failure):
                tell(failure, through: output)
                return .invalid
            }
        }
    }

    /// Records the replacement of an intercepted action.
    func replace(
        by type: UnsafeRawBufferPointer, error: Bool, payload: UnsafeRawBufferPointer
    ) -> ForeignAnswer {
        let answer: ForeignAnswer = content.withLock { content in
            content.isClosed ? .gone : content.isIn(.intercept) ? .done : .notNow
        }
        guard answer == .done else { return answer }
        switch unsafe read(type, error: error, payload: payload) {
        case .success(let action):
            content.withLock { $0.replacement = action }
            return .done
        case .failure(let failure):
            report(failure)
            return .invalid
        }
    }

    /// Reports that an action was not done.
    func fail(
        _ type: UnsafeRawBufferPointer, error: Bool, payload: UnsafeRawBufferPointer, because reason: String
    ) -> ForeignAnswer {
        services { services in
            guard case .success(let action) = unsafe read(type, error: error, payload: payload) else {
                return .invalid
            }
            PluginContext(settings: (), services: services).failed(action, reason)
            return .done
        }
    }

    /// Writes a line for the operator.
    func log(_ level: PluginLog.Level, _ line: String) -> ForeignAnswer {
        let services: HostServices?
        switch content.withLock({ content -> (ForeignAnswer, HostServices?) in
            if content.services == nil, !content.isClosed, content.lines.count < Self.mostLines {
                content.lines.append((level, line))
            }
            return (content.isClosed ? .gone : .done, content.services)
        }) {
        case (.done, let found): services = found
        case (let answer, _): return answer
        }
        services?.log(level, line)
        return .done
    }

    /// Reports the health of the instance.
    func tell(_ health: PluginHealth) -> ForeignAnswer {
        services { services in
            PluginContext(settings: (), services: services).health(health)
            return .done
        }
    }

    /// Announces that the present call may take this many nanoseconds; replaces an earlier announcement, 0 withdraws it.
    func expectLong(_ nanoseconds: UInt64) -> ForeignAnswer {
        services { [self] services in
            let end =
                nanoseconds == 0
                ? nil : services.longWork.announce(upTo: .nanoseconds(Int64(clamping: nanoseconds)))
            let before = content.withLock { content in
                defer { content.endLongWork = end }
                return content.endLongWork
            }
            before?()
            return .done
        }
    }

    /// Calls a closure with the host's services.
    func services(_ body: (HostServices) -> ForeignAnswer) -> ForeignAnswer {
        let (isClosed, services) = content.withLock { ($0.isClosed, $0.services) }
        guard !isClosed else { return .gone }
        return services.map(body) ?? .notNow
    }

    /// Begins work and cancels the one with the same token; returns 0 when it cannot begin.
    ///
    /// - Parameter effect: if given, the work belongs to the current action and is logged as effects are; in the drain only.
    func begin(_ token: [UInt8], as kind: Activity.Kind, _ effect: ForeignWork.Effect? = nil) -> UInt64 {
        let (number, replaced) = content.withLock { content -> (UInt64, ForeignWork?) in
            guard let output = content.output else { return (0, nil) }
            let replaced = content.takeWork(named: token)
            guard content.works.count < Self.mostWorks else { return (0, replaced) }
            content.lastWork += 1
            content.works[content.lastWork] = ForeignWork(
                number: content.lastWork, token: token, kind: kind, output: output, as: effect)
            return (content.lastWork, replaced)
        }
        if let replaced { cancel(replaced) }
        return number
    }

    /// Begins work that the plugin is called to perform after the actions that led to it are durable; 0 when it cannot begin.
    func beginWhenKept(_ token: [UInt8], as kind: Activity.Kind, memo: [UInt8]) -> UInt64 {
        let (output, services) = content.withLock { $0.isIn(.reduce) ? (nil, nil) : ($0.output, $0.services) }
        guard performs, let output, let services, let drain = output.sink.drain, drain.isCurrent else {
            return 0
        }
        let activity = output.sink.activity
        if case .stubbed = activity?.execution {
            activity?.countStubbed()
            return numberOfNothing()
        }
        var effect = ForeignWork.Effect(logged: nil)
        if let log = activity?.log {
            // It already ended in an earlier run.
            guard let logged = log.begin(kind, nil, within: nil) else { return numberOfNothing() }
            effect = ForeignWork.Effect(logged: logged)
        }
        let key = PluginContext(settings: (), services: services).effectKey
        let work = begin(token, as: kind, effect)
        guard work != 0 else {
            if let logged = effect.logged {
                activity?.log?.end(logged, isCancelled: true)
                activity?.log?.settle(logged, isLeft: false)
            }
            return 0
        }
        let waiting = WaitingWork(work, of: self) { [onKept] in onKept(work, Array((key ?? "").utf8), memo) }
        let turns = activity?.log as? any ForeignTurns
        let perform: @Sendable () -> Void = { [effect] in
            ForeignTurn.perform(effect.logged).take(turns) { waiting.perform() }
        }
        if case .held(let hold) = activity?.execution {
            hold.wait(perform)
        } else {
            drain.enqueue(perform)
        }
        return work
    }

    /// A number for work that has already ended.
    private func numberOfNothing() -> UInt64 {
        content.withLock { content in
            content.lastWork += 1
            return content.lastWork
        }
    }

    /// Ends work at the plugin's request.
    func end(_ number: UInt64) -> ForeignAnswer {
        guard let work = content.withLock({ $0.works.removeValue(forKey: number) }) else { return .gone }
        work.end()
        return .done
    }

    /// Cancels the work with a token.
    func cancel(_ token: [UInt8]) -> ForeignAnswer {
        let (isClosed, work) = content.withLock { content -> (Bool, ForeignWork?) in
            (content.isClosed, content.takeWork(named: token))
        }
        guard let work else { return isClosed ? .gone : .absent }
        cancel(work)
        return .done
    }

    /// Whether work is in progress.
    func isRunning(_ work: UInt64) -> Bool { content.withLock { $0.works[work] != nil } }

    /// Reads the state of the whole host.
    func hostState(at pointer: JSONPointer) -> (ForeignAnswer, Value?) {
        let (answer, reader): (ForeignAnswer, HostStateReader?) = content.withLock { content in
            guard !content.isClosed else { return (.gone, nil) }
            guard content.output?.sink.drain?.isCurrent == true, !content.isIn(.reduce) else {
                return (.notNow, nil)
            }
            return (.done, content.services?.state)
        }
        guard answer == .done else { return (answer, nil) }
        guard let value = reader?(pointer) else { return (.absent, nil) }
        return (.done, value)
    }

    // MARK: - Implementation details

    /// Whether an action may be emitted.
    private enum Access {
        /// The instance may not emit now, for this reason.
        case refused(ForeignAnswer)
        /// The instance may emit, through this handler.
        case granted(AnyActionHandler<AnyAction>)
    }

    /// Reads an action that the plugin passes as text.
    private func read(
        _ type: UnsafeRawBufferPointer, error: Bool, payload: UnsafeRawBufferPointer
    ) -> Result<AnyAction, CodingFailure> {
        unsafe reader.action(named: type, error: error, payload: payload)
    }

    /// Reports unreadable data, in the drain.
    private func tell(_ failure: CodingFailure, through output: AnyActionHandler<AnyAction>) {
        let report = report
        AnyActionHandler<Void>(ActionSink(before: output.sink) { _ in report(failure) })
            .dispatch((), from: source)
    }

    /// Cancels work that was removed from the table, and tells the plugin in a later turn of the drain.
    private func cancel(_ work: ForeignWork) {
        work.cancel()
        let number = work.number
        let onCancel = onCancel
        let turns = work.output.sink.activity?.log as? any ForeignTurns
        work.output.sink.drain?.enqueue { ForeignTurn.cancelled.take(turns) { onCancel(number) } }
    }
}
