// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Runs a chain through the core's `Store`, in the core's words alone: `lift`, `gated` and composition.
struct LawCore {
    typealias Word = LawChain.Word
    typealias Middleware = AnyMiddleware<Word, Word, State>

    /// The slices of all instances, in chain order.
    struct State: Sendable {
        var slices: [LawPlugin.State]
    }

    /// Whether the action in hand has come through the gate of an instance to its middleware, and so goes to its reducer.
    private final class Door {
        var hasPassed = false

        /// Tells once for each action.
        func take() -> Bool {
            defer { hasPassed = false }
            return hasPassed
        }
    }

    /// Notes that an action has come this far.
    private struct Doorkeeper: MiddlewareProtocol {
        let door: Door

        func handle(
            action: LawPlugin.Action, from dispatcher: ActionSource, state: GetState<LawPlugin.State>
        ) -> IO<LawPlugin.Action> {
            door.hasPassed = true
            return .pure()
        }
    }

    /// Logs each action that reaches the middlewares.
    private struct Witness: MiddlewareProtocol {
        let log: LawLog

        func handle(action: Word, from dispatcher: ActionSource, state: GetState<State>) -> IO<Word> {
            log.note("action \(action.name) \(action.number)")
            return .pure()
        }
    }

    /// Lifts and gates the instances of a chain, and composes them in its order.
    ///
    /// - Returns: the parts of the store, and what looks again at gates that follow the state.
    private static func parts(
        _ chain: LawChain, _ log: LawLog
    ) -> (parts: StoreParts<Word, State>, refresh: [() -> Void]) {
        var reducer = Reducer<Word, State>.identity
        var middlewares = [Witness(log: log).eraseToAnyMiddleware()]
        var interceptors: [AnyInterceptor<Word, State>] = []
        var refresh: [() -> Void] = []
        for (index, member) in chain.members.enumerated() {
            let door = Door()
            let local = { (word: Word) in
                member.hears(word.name).flatMap { LawPlugin.Action($0, word.number) }
            }
            reducer =
                reducer
                <> LawPlugin.reducer(member.settings).lift(
                    actionGetter: { door.take() ? local($0) : nil },
                    stateGetter: { $0.slices[index] }, stateSetter: { $0.slices[index] = $1 })
            let output = { (action: LawPlugin.Action) in
                Word(name: member.output[action.parts.name] ?? "", number: action.parts.number)
            }
            let lifted = ComposedMiddleware([
                Doorkeeper(door: door).eraseToAnyMiddleware(), LawPlugin.middleware(member.settings),
            ]).eraseToAnyMiddleware().lift(
                inputAction: local, outputAction: output, state: { (state: State) in state.slices[index] })
            let gate = gate(member.gate)
            let gated = GatedMiddleware(lifted, behind: gate, onClose: .cancel)
            if member.intercepts {
                let interceptor = LawPlugin.interceptor(member.settings).lift(
                    inputAction: local, outputAction: output, state: { (state: State) in state.slices[index] }
                )
                interceptors.append(notifying(lifted, of: interceptor).gated(behind: gate))
            }
            middlewares.append(gated.eraseToAnyMiddleware())
            if case .state = member.gate { refresh.append { gated.refresh() } }
        }
        let state = State(slices: chain.members.map { LawPlugin.initialState($0.settings) })
        return (
            StoreParts(
                initialState: state, reducer: reducer, middleware: ComposedMiddleware(middlewares),
                interceptors: interceptors),
            refresh
        )
    }

    /// Adds that a gate which moves at the interceptor of an instance moves for its middleware too: they share it.
    private static func notifying(
        _ middleware: Middleware, of interceptor: AnyInterceptor<Word, State>
    ) -> AnyInterceptor<Word, State> {
        AnyInterceptor(
            concerns: { interceptor.concerns($0) }, enter: { interceptor.enter($0) },
            gateChanged: { position in
                if position == .bypass { middleware.cancelEffects() }
                middleware.gateChanged(to: position)
            })
    }

    /// The gate of an instance.
    private static func gate(_ gate: LawChain.Gate) -> Gate<Word, State> {
        switch gate {
        case .still(let start):
            Gate(controlAction: { _ in Bool?.none }, turnOn: true, turnOff: false, default: start)
        case .action(let control, let on, let off, let start):
            Gate(
                controlAction: { $0.name == control ? $0.number : nil }, turnOn: on, turnOff: off,
                default: start)
        case .state(let member): Gate(state: { GateState(active: $0.slices[member].isOn) })
        }
    }

    /// Looks at gates again.
    ///
    /// `@unchecked Sendable`: called only by an observer, which is in the drain, where the gates belong.
    private struct Refresh: @unchecked Sendable {
        let all: [() -> Void]
    }

    /// Runs the inputs of a chain, and returns everything that happened.
    static func run(_ chain: LawChain) -> [String] {
        let log = LawLog()
        LawLog.$current.withValue(log) {
            let (parts, refresh) = parts(chain, log)
            let gates = Refresh(all: refresh)
            let store = Store(
                parts, limits: DrainLimits(chain: chain.chain, actions: chain.actions),
                hooks: StoreHooks(onLoop: {
                    log.note("cut \($0.input.action.name): \($0.kind) \($0.limit), \($0.dropped) dropped")
                }))
            let observer = store.observe(.always) { state in
                for look in gates.all { look() }
                log.note("observes \(state.slices)")
            }
            for word in chain.inputs { store.dispatch(word) }
            store.withState { log.note("ends with \($0.slices)") }
            withExtendedLifetime(observer) {}
        }
        return log.entries
    }
}
