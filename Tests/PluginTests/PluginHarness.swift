// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Runs one instance of a plugin in a store, made through the contract as the host makes it.
///
/// There is no lift: local names are global names, and what the plugin emits comes back to it.
final class PluginHarness {
    /// The instance; made whole and handed to the store, which reaches its middlewares through the state.
    private final class Instance {
        /// As the contract gives them.
        let parts: PluginParts
        /// All readers, injected and in order.
        let middleware: ComposedMiddleware<AnyAction, AnyAction, Slice>

        /// Makes parts and middlewares; throws when the settings do not fit.
        init(_ exports: PluginExports, settings: Value, services: HostServices, record: Record) throws {
            parts = try exports.makeParts(settings: settings) { misfit in
                record.failures.withLock { $0.append("\(misfit)") }
            }
            middleware = ComposedMiddleware(parts.readers.map { $0.inject(services) })
        }
    }

    /// What the instance did, guarded because logs and observers may be called from any thread.
    final class Record: Sendable {
        /// The lines the plugin wrote.
        let lines = Mutex<[String]>([])
        /// All actions in the order in which the store took them, those of the test included.
        let actions = Mutex<[DispatchedAction<AnyAction>]>([])
        /// What did not decode.
        let failures = Mutex<[String]>([])
        /// The state of the host apart from the plugin's slice; `state/set` replaces it by its payload.
        let hostState = Mutex<Value>(.object(Members()))
        /// How often the plugin read that state.
        let reads = Mutex(0)
        /// Chains that the store cut.
        let loops = Mutex(0)
    }

    /// What happened so far.
    let record = Record()
    /// Runs the instance.
    private let store: Store<AnyAction, Instance>

    /// Makes an instance called `test`.
    ///
    /// - Parameters:
    ///   - granted: the names of the dependencies it gets, of `clock` and `state`.
    ///   - dataDirectory: the folder it gets.
    ///   - onAction: told about each action that the store takes, in the drain.
    convenience init<P: Plugin>(
        _ plugin: P.Type, settings: Value = [:], granted: Set<String> = [],
        minimum: PluginLog.Level = .debug,
        dataDirectory: String? = nil, onAction: @escaping @Sendable (AnyAction) -> Void = { _ in }
    ) throws {
        try self.init(
            exports: { PluginEntry.exports(of: plugin) }, settings: settings, granted: granted,
            minimum: minimum,
            dataDirectory: dataDirectory, onAction: onAction)
    }

    /// The same, of what `PluginEntry.exports(of:)` gives for a type that does more than `Plugin` asks for.
    init(
        exports: @Sendable () -> PluginExports, settings: Value = [:], granted: Set<String> = [],
        minimum: PluginLog.Level = .debug,
        dataDirectory: String? = nil, time: @escaping @Sendable () -> Double = { 1_000.5 },
        onAction: @escaping @Sendable (AnyAction) -> Void = { _ in }
    ) throws {
        let record = record
        let services = HostServices(
            instance: "test",
            log: PluginLog(minimum: minimum) { level, line in
                record.lines.withLock { $0.append("\(level): \(line)") }
            },
            clock: granted.contains("clock")
                ? HostClock(clock: ContinuousClock(), unixTime: time) : nil,
            dataDirectory: dataDirectory,
            state: granted.contains("state")
                ? HostStateReader { pointer in
                    record.reads.withLock { $0 += 1 }
                    return record.hostState.withLock { $0[pointer] }
                } : nil)
        store = Store(
            try Self.parts(
                of: exports(), settings, services, record, time: granted.contains("clock") ? time : nil,
                onAction),
            hooks: StoreHooks(onLoop: { _ in record.loops.withLock { $0 += 1 } }))
    }

    /// What the store is made of.
    private static func parts(
        of exports: sending PluginExports, _ settings: Value, _ services: HostServices, _ record: Record,
        time: (@Sendable () -> Double)?, _ onAction: @escaping @Sendable (AnyAction) -> Void
    ) throws -> sending StoreParts<AnyAction, Instance> {
        let instance = try Instance(exports, settings: settings, services: services, record: record)
        if let time { instance.parts.time.ask(time) }
        let interceptor = instance.parts.interceptor.map {
            $0(services).lift(state: { (instance: Instance) in instance.parts.slice })
        }
        return StoreParts(
            initialState: instance,
            reducer: Reducer { action, instance in
                if action.type == "state/set" { record.hostState.withLock { $0 = action.payload ?? .null } }
                var slice = instance.parts.slice
                return instance.parts.reducer?.apply(action, &slice) ?? .unchanged
            },
            middleware: AnyMiddleware { action, source, state in
                record.actions.withLock { $0.append(DispatchedAction(action, dispatcher: source)) }
                onAction(action)
                return state().middleware.handle(
                    action: action, from: source, state: state.map(\.parts.slice))
            },
            interceptors: interceptor.map { [$0] } ?? [])
    }

    /// Dispatches an action as if it had arrived on line 7 of `input.ndjson`.
    func send(_ type: ActionType, _ payload: Value? = nil, error: Bool = false, info: String? = nil) {
        store.dispatch(
            AnyAction(type, tape: payload.map { Tape.make($0).root }, error: error, meta: nil),
            from: ActionSource(file: "input.ndjson", function: "", line: 7, info: info))
    }

    /// The plugin's slice.
    var state: Value? {
        get throws { try store.withState { state in Result { try state.parts.slice.value() } }.get() }
    }

    /// How often the slice changed.
    var version: UInt64 { store.withState { $0.parts.slice.version } }

    /// The lines the plugin wrote.
    var lines: [String] { record.lines.withLock { $0 } }

    /// The actions the store took, those of the test included.
    var actions: [DispatchedAction<AnyAction>] { record.actions.withLock { $0 } }

    /// What did not decode.
    var failures: [String] { record.failures.withLock { $0 } }

    /// How often the plugin read the host's state.
    var stateReads: Int { record.reads.withLock { $0 } }

    /// How many chains of outputs the store cut.
    var loops: Int { record.loops.withLock { $0 } }
}
