// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

/// Bodies of answers and what else is made once and used for one action after the other.
@Suite(.timeLimit(.minutes(5)))
struct OutputRelayTests {
    /// Middlewares that keep the body of their answers.
    private func middleware(_ way: String) -> AnyMiddleware<Int, Int, Int> {
        let part = AnyMiddleware<Int, Int, Int> { action, _, _ in IO { $0.dispatch(action) } }
        return switch way {
        case "of an effect":
            AnyMiddleware(EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in .just(action) })
        case "composed": AnyMiddleware(part <> part)
        case "lifted":
            AnyMiddleware(LiftMiddleware(part, inputAction: \.self, outputAction: \.self, state: \.self))
        default: AnyMiddleware(part.gated(stateMap: { _ in true }))
        }
    }

    @Test(arguments: ["of an effect", "composed", "lifted", "gated"])
    func `the body of an answer is filled again when nobody holds it, and not while somebody does`(
        _ way: String
    ) {
        let middleware = middleware(way)
        let state = GetState { 0 }
        weak var body: AnyObject?
        body = middleware.handle(action: 1, from: .here(), state: state).work?.body
        #expect(body != nil)
        let held = middleware.handle(action: 2, from: .here(), state: state)
        #expect(held.work?.body === body)
        let other = middleware.handle(action: 3, from: .here(), state: state)
        #expect(other.work?.body != nil)
        #expect(other.work?.body !== body)
    }

    @Test func `the inner handler is made once for each outer one, as long as no other comes between`() {
        var made = 0
        var cache = SinkCache<Int, Int> { parent in
            made += 1
            return ActionSink(mappingTo: parent) { $0 + 1 }
        }
        let trace = Trace()
        let (one, other) = (
            AnyActionHandler<Int> { trace.add("one \($0.action)") },
            AnyActionHandler<Int> { trace.add("other \($0.action)") }
        )
        for output in [one, one, other, one] { cache.handler(for: output).dispatch(1) }
        #expect(trace.lines == ["one 2", "one 2", "other 2", "one 2"])
        #expect(made == 3)
    }

    /// Answers everything that it is asked by a number of its own.
    private struct Telling: MiddlewareProtocol {
        func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
            IO { $0.dispatch(action) }
        }
        func start(state: GetState<Int>) -> IO<Int> { IO { $0.dispatch(100) } }
        func stopping(state: GetState<Int>) -> IO<Int> { IO { $0.dispatch(200) } }
    }

    @Test(arguments: ["composed", "lifted", "gated"])
    func `an answer that somebody keeps stays what it was, whatever is asked next`(_ way: String) {
        let part = Telling()
        let middleware: AnyMiddleware<Int, Int, Int> =
            switch way {
            case "composed": AnyMiddleware(part <> part)
            case "lifted":
                AnyMiddleware(
                    LiftMiddleware(part, inputAction: \.self, outputAction: \.self, state: \.self))
            default: AnyMiddleware(part.gated(stateMap: { _ in true }))
            }
        let state = GetState { 0 }
        let asks: [() -> IO<Int>] = [
            { middleware.handle(action: 1, from: .here(), state: state) },
            { middleware.handle(action: 2, from: .here(), state: state) },
            { middleware.start(state: state) }, { middleware.stopping(state: state) },
        ]
        for (first, kept) in zip(["1", "2", "100", "200"], asks) {
            for (second, next) in zip(["1", "2", "100", "200"], asks) {
                let trace = Trace()
                let (kept, next) = (kept(), next())
                kept.run { trace.add("\($0.action)") }
                next.run { trace.add("\($0.action)") }
                let times = way == "composed" ? 2 : 1
                #expect(
                    trace.lines == Array(repeating: first, count: times)
                        + Array(repeating: second, count: times))
            }
        }
    }
}
