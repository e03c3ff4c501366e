// SPDX-License-Identifier: Apache-2.0

internal import Gatehouse
internal import GatehouseSDK
internal import GatehouseValue

extension TestSubject where Action: PluginAction {
    /// Creates a store around an instance of a plugin, made as the host makes it.
    ///
    /// - Parameter kept: the state that it resumes from and the version of its form, nil for the present one; nil for a new
    ///   instance.
    /// - Throws: `CodingFailure` if the settings or that state do not fit.
    init<P: Plugin>(
        _ plugin: P.Type, settings: Value, restoring kept: (state: Value, version: Int?)?,
        services: HostServices, placement: TestPlacement, inbox: TestInbox<Action, State>
    ) throws(CodingFailure) where P.Action == Action, P.State == State {
        let exports = PluginEntry.exports(of: plugin)
        let parts = try exports.makeParts(settings: settings) { inbox.note(problem: "\($0)") }
        if let kept {
            try parts.slice.restore(
                exports.migrate(kept.state, from: kept.version ?? exports.stateVersion))
        }
        let checkpoint =
            switch placement {
            case .host: nil as TestCheckpoint?
            case .worker: TestCheckpoint(try exports.makeParts(settings: settings) { _ in })
            }
        let beginning = parts.slice.version
        if let clock = services.clock { parts.time.ask(clock.unixTime) }
        let recorder = AnyInterceptor<AnyAction, Slice>.recorder { action, source, slice in
            guard let state = slice.state(as: State.self) else { return }
            if let problem = checkpoint?.problem(of: slice) { inbox.note(problem: problem) }
            let wire = Result { () throws(CodingFailure) in try action.wireForm() }
            do {
                inbox.note(try Self.read(action), asWire: wire, from: source, leaving: state)
            } catch {
                if inbox.note(nil, asWire: wire, from: source, leaving: state) {
                    inbox.note(
                        problem:
                            "its own Action does not read what it emitted: \(Misfit.unreadable(action, CodingFailure(error)))"
                    )
                }
            }
        }
        let store = Store(
            StoreParts(
                initialState: parts.slice, reducer: parts.reducer ?? .identity,
                middleware: ComposedMiddleware(parts.readers.map { $0.inject(services) }),
                interceptors: [recorder] + (parts.interceptor.map { [$0(services)] } ?? [])),
            effects: .preferring(inbox.executor), hooks: .tellingTests { inbox.note(problem: $0) })
        self.init(
            dispatch: { store.dispatch(try $0.sent(), from: $1) },
            dispatchWire: { store.dispatch($0.arrived, from: $1) },
            state: { store.withState { $0.state(as: State.self) } ?? P.initialState(.init()) },
            changes: { store.withState { Int($0.version - beginning) } }, stop: { store.stop() },
            activity: store.activity,
            areSame: { (try? $0.wireForm()) == (try? $1.wireForm()) },
            show: { (try? $0.wireForm().json()) ?? "\($0)" },
            differences: {
                Self.differences(from: try? Value(encoding: $0), to: try? Value(encoding: $1))
            })
    }

    /// Returns an action in the store as the plugin's own type.
    private static func read(_ action: AnyAction) throws -> Action {
        if let action = action as? Action { return action }
        return try Action(type: action.type, payload: action.payload.map { Tape.make($0).root })
    }
}

extension PluginAction {
    /// Returns the wire form under the local name.
    func wireForm() throws -> Value { try sent().wireForm() }

    /// Returns the action as if from outside, so that the plugin has to decode it.
    func sent() throws -> AnyAction {
        if let action = self as? AnyAction { return action.arrived }
        let (name, payload) = try encoded()
        return AnyAction(ActionType(name), payload: payload, error: isError).arrived
    }
}

extension AnyAction {
    /// The same action on a tape, like an arriving one.
    var arrived: AnyAction {
        AnyAction(
            type, tape: payload.map { Tape.make($0).root }, error: isError,
            meta: meta.map { Tape.make($0).root })
    }
}
