// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import Synchronization

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
    struct Content {
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
        /// The sockets at which the plugin listens.
        var listeners: [BorrowedListener] = []
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

    /// How many lines are kept until they can be logged.
    private static let mostLines = 64

    /// The number by which the plugin knows the instance.
    let number: UInt64
    /// The plugin, as the source of the actions it emits.
    private let source: ActionSource
    /// The state of the port, guarded by the lock.
    let content = Mutex(Content())
    /// Reads the plugin's JSON.
    private let reader = SharedForeignReader()
    /// Reports unreadable data to the operator; called in the drain.
    private let report: @Sendable (CodingFailure) -> Void
    /// Tells the plugin that work was cancelled; called in the drain.
    let onCancel: @Sendable (UInt64) -> Void
    /// Whether the plugin can perform work that has waited.
    let performs: Bool
    /// Has it perform such work, by number, key and memo; called in the drain.
    let onKept: @Sendable (UInt64, [UInt8], [UInt8]) -> Void

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
    func check(_ bytes: [UInt8]) throws(JSONSyntaxError) { try reader.check(bytes) }

    /// Releases everything; later requests of the plugin are refused.
    func close() {
        let before = content.withLock { content in
            let before = content
            content = Content()
            content.isClosed = true
            return before
        }
        before.endLongWork?()
        for listener in before.listeners { listener.giveBack() }
        for work in before.works.values { work.cancel() }
    }

    // MARK: - What the plugin asks for

    /// Records the reason why `create` returns nothing.
    func refuse(_ objection: Objection) throws(ForeignRefusal) {
        try change { content throws(ForeignRefusal) in
            guard content.isIn(.create) else { throw .notNow }
            content.objection = objection
        }
    }

    /// Appends an action to the queue.
    func emit(for work: UInt64, _ action: ForeignAction) throws(ForeignRefusal) {
        let output = try change { content throws(ForeignRefusal) in
            guard let output = content.output, !content.isIn(.reduce) else { throw .notNow }
            guard work != 0 else { return output }
            guard let work = content.works[work] else { throw .gone }
            return work.output
        }
        do throws(CodingFailure) {
            output.dispatch(DispatchedAction(try unsafe reader.read(action), dispatcher: source))
        } catch {
            tell(error, through: output)
            throw .invalid
        }
    }

    /// Records the replacement of an intercepted action.
    func replace(by action: ForeignAction) throws(ForeignRefusal) {
        try change { content throws(ForeignRefusal) in
            guard content.isIn(.intercept) else { throw .notNow }
        }
        do throws(CodingFailure) {
            let replacement = try unsafe reader.read(action)
            content.withLock { $0.replacement = replacement }
        } catch {
            report(error)
            throw .invalid
        }
    }

    /// Reports that an action was not done.
    func fail(_ action: ForeignAction, because reason: String) throws(ForeignRefusal) {
        let services = try services()
        guard let action = try? unsafe reader.read(action) else { throw .invalid }
        PluginContext(settings: (), services: services).failed(action, reason)
    }

    /// Writes a line for the operator.
    func log(_ level: PluginLog.Level, _ line: String) throws(ForeignRefusal) {
        let services = try change { content throws(ForeignRefusal) in
            if content.services == nil, content.lines.count < Self.mostLines {
                content.lines.append((level, line))
            }
            return content.services
        }
        services?.log(level, line)
    }

    /// Reports the health of the instance.
    func tell(_ health: PluginHealth) throws(ForeignRefusal) {
        PluginContext(settings: (), services: try services()).health(health)
    }

    /// Announces that the present call may take this many nanoseconds; replaces an earlier announcement, 0 withdraws it.
    func expectLong(_ nanoseconds: UInt64) throws(ForeignRefusal) {
        let longWork = try services().longWork
        let end =
            nanoseconds == 0 ? nil : longWork.announce(upTo: .nanoseconds(Int64(clamping: nanoseconds)))
        let before = content.withLock { content in
            defer { content.endLongWork = end }
            return content.endLongWork
        }
        before?()
    }

    /// The host's services.
    func services() throws(ForeignRefusal) -> HostServices {
        try change { content throws(ForeignRefusal) in
            guard let services = content.services else { throw .notNow }
            return services
        }
    }

    /// Reads the state of the whole host.
    func hostState(at pointer: JSONPointer) throws(ForeignRefusal) -> Value {
        let reader = try change { content throws(ForeignRefusal) in
            guard content.output?.sink.drain?.isCurrent == true, !content.isIn(.reduce) else { throw .notNow }
            return content.services?.state
        }
        guard let value = reader?(pointer) else { throw .absent }
        return value
    }

    /// Changes the port for a function of the plugin, which is refused when the instance is gone.
    func change<Result>(
        _ body: (inout Content) throws(ForeignRefusal) -> sending Result
    ) throws(ForeignRefusal) -> sending Result {
        try content.withLock { content throws(ForeignRefusal) in
            guard !content.isClosed else { throw .gone }
            return try body(&content)
        }
    }

    /// Reports unreadable data, in the drain.
    private func tell(_ failure: CodingFailure, through output: AnyActionHandler<AnyAction>) {
        let report = report
        AnyActionHandler<Void>(ActionSink(before: output.sink) { _ in report(failure) })
            .dispatch((), from: source)
    }
}
