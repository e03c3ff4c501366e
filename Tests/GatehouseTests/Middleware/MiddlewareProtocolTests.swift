// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

/// What is promised of every middleware that wraps another.
@Suite(.timeLimit(.minutes(5)))
struct MiddlewareProtocolTests {
    private let trace = Trace()

    /// Writes down each call that it gets.
    private struct Hearing: MiddlewareProtocol {
        let trace: Trace

        func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
            trace.add("handle \(action)")
            return .pure()
        }

        func start(state: GetState<Int>) -> IO<Int> {
            trace.add("start")
            return .pure()
        }

        func stopping(state: GetState<Int>) -> IO<Int> {
            trace.add("stopping")
            return .pure()
        }

        func gateChanged(to gate: GateState) { trace.add("gate \(gate)") }
        func cancelEffects() { trace.add("cancel") }
        func stopEffects() { trace.add("stop") }
    }

    @Test(arguments: ["erased", "composed", "lifted", "gated", "as an effect middleware"])
    func `what wraps a middleware hands on all six calls`(_ way: String) {
        let part = Hearing(trace: trace)
        let whole: any MiddlewareProtocol<Int, Int, Int> =
            switch way {
            case "erased": AnyMiddleware(part)
            case "composed": part <> IdentityMiddleware()
            case "lifted": part.lift(state: { (state: Int) in state })
            case "gated": part.gated(stateMap: { _ in true })
            default:
                EffectMiddleware<Int, Int, Int, Void>(
                    around: part, count: { EffectCount() }, again: { .identity })
            }
        let state = GetState { 0 }
        _ = whole.start(state: state)
        _ = whole.handle(action: 1, from: .here(), state: state)
        whole.gateChanged(to: .bypass)
        whole.cancelEffects()
        whole.stopEffects()
        _ = whole.stopping(state: state)
        #expect(trace.lines == ["start", "handle 1", "gate bypass", "cancel", "stop", "stopping"])
    }

    @Test func `a composition hands on what it is told to each member, first to last`() {
        let whole = Probe(name: "a", trace: trace) <> Probe(name: "b", trace: trace)
        whole.gateChanged(to: .bypass)
        whole.cancelEffects()
        #expect(trace.lines == ["a gate bypass", "b gate bypass", "a cancelled", "b cancelled"])
    }

    @Test func `a middleware that consists of its function has nothing else to do`() {
        let middleware = AnyMiddleware<Int, Int, Int> { _, _, _ in IO { $0.dispatch(5) } }
        let state = GetState { 0 }
        #expect(middleware.start(state: state).isPure)
        #expect(middleware.stopping(state: state).isPure)
        middleware.gateChanged(to: .bypass)
        middleware.cancelEffects()
        middleware.stopEffects()
        #expect(!middleware.isIdentity)
        #expect(middleware.composition == nil)
        middleware.handle(action: 1, from: .here(), state: state).run { [trace] in trace.add("\($0.action)") }
        #expect(trace.lines == ["5"])
    }
}
