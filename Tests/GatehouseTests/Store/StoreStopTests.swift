// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// What middlewares and effects do when a store is asked to come to an end.
@Suite(.timeLimit(.minutes(10)))
struct StoreStopTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>

    private let trace = Trace()

    private func store(_ middleware: sending some MiddlewareProtocol<Int, Int, Int>) -> Store<Int, Int> {
        Store(
            initialState: 0,
            reducer: .reduce { [trace] action, state in
                trace.add("reduce \(action)")
                state += action
            }, middleware: middleware)
    }

    /// An effect that only a cancellation ends, and that keeps its output.
    private func endless(_ name: String, last: Int? = nil) -> Effect<Void, Int> {
        .start { [trace] _, output in
            if let last { output.onStopping { $0.send(last) } }
            output.onCancel {
                trace.add("\(name) cancelled")
                withExtendedLifetime(output) {}
            }
        }
    }

    @Test func `effects are cancelled in the order in which they began, except those that finish`() {
        let middleware = Middleware.onAction { action, _, _ in
            switch action {
            case 1: endless("plain")
            case 2: endless("finishing").finishing
            case 3: endless("background").inBackground
            default: endless("finishing in the background").finishing.inBackground
            }
        }
        let store = store(middleware)
        for action in 1...4 { store.dispatch(action) }
        store.stop()
        #expect(
            trace.lines.dropFirst(4) == [
                "plain cancelled", "background cancelled", "finishing in the background cancelled",
            ])
        #expect(store.activity.foreground == 1)
    }

    @Test func `a finishing effect that goes on in the background finishes nothing any more`() {
        let store = store(
            Middleware.onAction { [trace] _, _, _ in
                .start { _, output in
                    output.onCancel {
                        trace.add("cancelled")
                        withExtendedLifetime(output) {}
                    }
                    output.continueInBackground()
                }.finishing
            })
        store.dispatch(1)
        store.stop()
        #expect(trace.lines == ["reduce 1", "cancelled"])
    }

    @Test func `the last action of an effect is processed, what it sends later is not`() {
        let kept = Kept<EffectOutput<Int>>()
        let store = store(
            Middleware.onAction { action, _, _ in
                action > 1
                    ? .doNothing
                    : .start { _, output in
                        kept.value = output
                        output.onStopping { $0.send(10) }
                    }
            })
        store.dispatch(1)
        store.stop()
        kept.value?.send(20)
        #expect(trace.lines == ["reduce 1", "reduce 10"])
    }

    @Test func `a last action is sent once, and not by an effect that was cancelled or is over`() {
        let middleware = Middleware.onAction { action, _, context in
            switch action {
            case 1:
                Effect<Void, Int>.start(token: "cancelled") { _, output in
                    output.onStopping { $0.send(10) }
                    output.onCancel { withExtendedLifetime(output) {} }
                }
            case 2: .cancel("cancelled")
            case 3:
                .start { _, output in
                    output.onStopping { $0.send(20) }
                    output.finish()
                }
            case 4: endless("endless", last: 30)
            default: .doNothing
            }
        }
        let store = store(middleware)
        for action in 1...4 { store.dispatch(action) }
        store.stop()
        store.stop()
        #expect(trace.lines.dropFirst(4) == ["endless cancelled", "reduce 30"])
    }

    @Test func `the function for the end sees the state after all actions, and its effect finishes`() {
        let kept = Kept<EffectOutput<Int>>()
        let store = store(
            Middleware.onAction { _, _, _ in
                .doNothing
            } onStopping: { [trace] state, _ in
                trace.add("stopping (\(state()))")
                return .start { _, output in kept.value = output }
            })
        store.dispatch(5)
        store.stop()
        #expect(store.activity.foreground == 1)
        kept.value?.send(7)
        #expect(trace.lines == ["reduce 5", "stopping (5)", "reduce 7"])
    }

    @Test
    func `middlewares are asked first to last and answer last to first, through lift, gate and erasure`() {
        let lifted = Ender(name: "lifted", output: 1, trace: trace).lift(
            inputAction: { (action: Int) in action }, outputAction: { $0 * 10 },
            state: { (state: Int) in state })
        let gated = Ender(name: "gated", output: 2, trace: trace).gated(stateMap: { _ in .active })
        let closed = Ender(name: "closed", output: 3, trace: trace).gated(stateMap: { _ in .bypass })
        let row = lifted <> gated <> closed <> Ender(name: "plain", output: 4, trace: trace)
        let store = store(row.eraseToAnyMiddleware())
        store.stop()
        #expect(
            trace.lines == [
                "lifted effects", "gated effects", "closed effects", "plain effects", "lifted stopping",
                "gated stopping", "closed stopping", "plain stopping", "reduce 4", "reduce 2", "reduce 10",
            ])
    }

    @Test func `a lift to a collection stops effects, and asks for no last work`() {
        let whole = Ender(name: "part", output: 1, trace: trace).liftToCollection(
            inputAction: { (action: Int) in ElementIndexAction(index: 0, action: action) },
            outputAction: { (action: ElementIndexAction<Int, Int>) in action.action },
            state: { (state: [Int]) in state })
        whole.stopEffects()
        whole.stopping(state: GetState { [1] }).run(AnyActionHandler<Int> { _ in })
        #expect(trace.lines == ["part effects"])
    }

    @Test func `a store that is asked twice to end asks its middlewares once`() {
        let store = self.store(
            EffectMiddleware<Int, Int, Int, Void>.onAction { _, _, _ in
                .doNothing
            } onStopping: { _, _ in
                .just(5)
            })
        store.stop()
        store.stop()
        #expect(trace.lines == ["reduce 5"])
    }

    @Test func `a store that is asked to end once more while it ends asks its middlewares once`() {
        let (trace, own) = (trace, Weak<Store<Int, Int>>())
        let store = store(
            Middleware.onAction { _, _, _ in
                .start { _, output in
                    output.onCancel {
                        own.value?.stop()
                        trace.add("cancelled")
                        withExtendedLifetime(output) {}
                    }
                }
            } onStopping: { _, _ in
                .just(5)
            })
        own.value = store
        for _ in 0..<2 { store.dispatch(0) }
        store.stop()
        #expect(trace.lines == ["reduce 0", "reduce 0", "cancelled", "cancelled", "reduce 5"])
    }
}

/// Says what it is asked at the end, and emits one action then.
private struct Ender: MiddlewareProtocol {
    let name: String
    let output: Int
    let trace: Trace

    func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> { .pure() }

    func stopping(state: GetState<Int>) -> IO<Int> {
        trace.add("\(name) stopping")
        return IO { [output] in $0.dispatch(output) }
    }

    func stopEffects() { trace.add("\(name) effects") }
}
