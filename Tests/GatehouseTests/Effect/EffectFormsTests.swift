// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// Every way to make an effect.
@Suite(.timeLimit(.minutes(5)))
struct EffectFormsTests {
    typealias Work = Effect<String, Int>
    typealias Free = Effect<Void, Int>

    /// A failure that can be told from others.
    private struct Broken: Error {
        let code: Int
    }

    /// Gives numbers, then fails if told to.
    private static func numbers(_ values: [Int], failing code: Int? = nil) -> AsyncThrowingStream<
        Int, any Error
    > {
        AsyncThrowingStream { continuation in
            for value in values { continuation.yield(value) }
            continuation.finish(throwing: code.map { Broken(code: $0) })
        }
    }

    /// Gives numbers with sources.
    private static func actions(_ values: Int...) -> AsyncStream<DispatchedAction<Int>> {
        AsyncStream { continuation in
            for value in values {
                continuation.yield(DispatchedAction(value, dispatcher: .named("stream \(value)")))
            }
            continuation.finish()
        }
    }

    /// What an effect emits, with sources, once it has ended.
    private func outcome<Dependencies: Sendable>(
        _ dependencies: Dependencies, _ effect: @escaping @Sendable () -> Effect<Dependencies, Int>
    ) async -> [String] {
        let (trace, done) = (Trace(), Signal())
        let store = Store<Int, Int>(
            initialState: 0, reducer: .identity,
            middleware: EffectMiddleware<Int, Int, Int, Dependencies>(dependencies: dependencies) {
                action, _, context in
                guard action != 0 else { return effect() }
                trace.add("\(action) from \(context.dispatcher.file)")
                return .doNothing
            })
        store.activity.onIdle { done.fire() }
        // Counted from outside, so that idle is told also when the effect ends at once.
        store.activity.begin(.foreground)
        store.dispatch(0, from: .named("in"))
        store.activity.end(.foreground)
        await done.wait()
        return trace.lines
    }

    @Test func `just, made from the context when it is run`() async {
        #expect(
            await outcome("abc") { Work.just(from: .named("f")) { $0.dependencies.count } } == ["3 from f"])
        #expect(await outcome("abcd") { Work.just(file: "g") { $0.dependencies.count } } == ["4 from g"])
    }

    @Test func `sequence, listed or given, on behalf of another place or of this one`() async {
        #expect(
            await outcome("") { Work.sequence(1, 2, from: .named("f")) } == ["1 from f", "2 from f"])
        #expect(await outcome("") { Work.sequence([1, 2], from: .named("f")) } == ["1 from f", "2 from f"])
        #expect(await outcome("") { Work.sequence(1, 2, file: "g") } == ["1 from g", "2 from g"])
        #expect(await outcome("") { Work.sequence([1, 2], file: "g") } == ["1 from g", "2 from g"])
    }

    @Test func `promise, with or without context, on behalf of another place or of this one`() async {
        #expect(await outcome("abc") { Work.promise(file: "f") { answer in answer(1) } } == ["1 from f"])
        #expect(
            await outcome("abc") {
                Work.promise(file: "f") { context, answer in answer(context.dependencies.count) }
            } == ["3 from f"])
        #expect(
            await outcome("abc") {
                Work.promise(token: "t", from: .named("g")) { context, answer in
                    answer(context.dependencies.count)
                }
            } == ["3 from g"])
        #expect(Work.promise(token: "t", from: .named("g")) { _, _ in }.token == EffectToken("t"))
    }

    @Test func `a sequence of actions with sources, made from the context or ready`() async {
        let expected = ["1 from stream 1", "2 from stream 2"]
        #expect(await outcome("") { Work { _ in Self.actions(1, 2) } } == expected)
        #expect(await outcome("") { Work(token: "t") { _ in Self.actions(1, 2) } } == expected)
        #expect(await outcome(()) { Free(Self.actions(1, 2)) } == expected)
        #expect(await outcome(()) { Free(token: "t", effect: Self.actions(1, 2)) } == expected)
        #expect(Free(token: "t", effect: Self.actions()).token == EffectToken("t"))
    }

    @Test func `fire and forget, a function with or without context`() async {
        let trace = Trace()
        #expect(await outcome("abc") { Work.fireAndForget { trace.add($0.dependencies) } } == [])
        #expect(await outcome(()) { Free.fireAndForget { trace.add("free") } } == [])
        #expect(trace.lines == ["abc", "free"])
    }

    @Test func `fire and forget, a sequence that cannot fail`() async {
        #expect(await outcome("") { Work.fireAndForget { _ in Self.actions(1, 2) } } == [])
        #expect(await outcome(()) { Free.fireAndForget(Self.actions(1, 2)) } == [])
    }

    @Test func `fire and forget, a failure becomes one action, or none`() async {
        @Sendable func action(_ error: any Error) -> DispatchedAction<Int>? {
            (error as? Broken).flatMap {
                $0.code == 0 ? nil : DispatchedAction($0.code, dispatcher: .named("e"))
            }
        }
        for (code, expected) in [(nil, []), (7, ["7 from e"]), (0, [])] as [(Int?, [String])] {
            #expect(
                await outcome("") {
                    Work.fireAndForget({ _ in Self.numbers([1, 2], failing: code) }, catchErrors: action)
                } == expected)
            #expect(
                await outcome(()) {
                    Free.fireAndForget(Self.numbers([1, 2], failing: code), catchErrors: action)
                } == expected)
        }
    }

    @Test func `a sequence on behalf of another place`() async {
        let stream = AsyncStream<Int> { continuation in
            continuation.yield(5)
            continuation.finish()
        }
        #expect(await outcome("") { stream.asEffect(dispatcher: .named("d")) } == ["5 from d"])
        let named: Work = stream.asEffect(token: "t", dispatcher: .named("d"))
        #expect(named.token == EffectToken("t"))
    }

    @Test func `toCancel and cancel are one`() {
        let kept = Kept<EffectOutput<Int>>()
        let middleware = EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, context in
            switch action {
            case 1: .start(token: "t") { _, output in kept.value = output }
            case 2: .toCancel("t")
            case 3: .cancel("t")
            default: context.toCancel("t")
            }
        }
        for action in [2, 3, 4] {
            for step in [1, action] {
                middleware.handle(action: step, from: .named("x"), state: GetState { 0 }).run { _ in }
            }
            #expect(kept.value?.isCancelled == true)
            #expect(middleware.runningEffects == 0)
        }
    }
}
