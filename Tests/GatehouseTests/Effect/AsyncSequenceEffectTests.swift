// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AsyncSequenceEffectTests {
    /// Why a sequence ends early.
    struct Broken: Error {
        let value: Int
    }

    /// A store that answers small actions by an effect, and tells the last action with its source.
    private func store<Dependencies: Sendable>(
        _ dependencies: Dependencies,
        _ effect: @escaping @Sendable (Int, EffectContext<Dependencies, Int>) -> Effect<Dependencies, Int>
    ) -> (Store<Int, [Int]>, Signal, Trace) {
        let (sources, idle) = (Trace(), Signal())
        let middleware = EffectMiddleware<Int, Int, [Int], Dependencies>(dependencies: dependencies) {
            action, _, context in
            sources.add("\(action) \(context.dispatcher.file)")
            return action < 100 ? effect(action, context) : .doNothing
        }
        let parts = StoreParts(
            initialState: [], reducer: Reducer<Int, [Int]>.reduce { $1.append($0) }, middleware: middleware)
        let store = Store(UnsafeShare(parts).value)
        store.activity.onIdle { idle.fire() }
        return (store, idle, sources)
    }

    /// A stream of some numbers.
    private static func numbers(_ numbers: Int...) -> AsyncStream<Int> {
        AsyncStream { continuation in
            for number in numbers { continuation.yield(number) }
            continuation.finish()
        }
    }

    @Test func `elements are actions, in order, on behalf of whoever dispatched the answered one`() async {
        let (store, idle, sources) = store(()) { _, _ in Self.numbers(100, 101, 102).asEffect }
        store.dispatch(1, from: .named("asked"))
        await idle.wait()
        #expect(store.state == [1, 100, 101, 102])
        #expect(sources.lines == ["1 asked", "100 asked", "101 asked", "102 asked"])
    }

    @Test func `with dependencies, the source is the place of the call`() async {
        let (store, idle, sources) = store("any") { action, _ in
            action == 1
                ? Self.numbers(100).asEffect(file: "here")
                : Self.numbers(101).asEffect(token: 1, file: "there")
        }
        store.dispatch(1, from: .named("asked"))
        await idle.wait()
        store.dispatch(2, from: .named("asked"))
        await idle.wait()
        #expect(sources.lines == ["1 asked", "100 here", "2 asked", "101 there"])
    }

    @Test func `a sequence with the same token replaces the running one`() async {
        let stopped = Signal()
        let (store, idle, _) = store(()) { action, _ in
            guard action == 1 else { return Self.numbers(101).asEffect(cancellationToken: "t") }
            return AsyncStream<Int> { continuation in
                continuation.onTermination = { _ in stopped.fire() }
            }.asEffect(cancellationToken: "t")
        }
        store.dispatch(1)
        #expect(!store.activity.isIdle)
        store.dispatch(2)
        await stopped.wait()
        await idle.wait()
        #expect(store.state == [1, 2, 101])
    }

    @Test func `a failure becomes the last action`() async {
        let (store, idle, _) = store(()) { _, _ in
            AsyncThrowingStream<Int, any Error> { continuation in
                continuation.yield(100)
                continuation.finish(throwing: Broken(value: 7))
            }.asEffect { error in ((error as? Broken)?.value).map { 200 + $0 } }
        }
        store.dispatch(1)
        await idle.wait()
        #expect(store.state == [1, 100, 207])
    }

    @Test func `a failure that maps to nil ends the effect in silence`() async {
        let (store, idle, _) = store(()) { _, _ in
            AsyncThrowingStream<Int, any Error> { $0.finish(throwing: Broken(value: 7)) }
                .asEffect(token: "t") { _ in nil }
        }
        store.dispatch(1)
        await idle.wait()
        #expect(store.state == [1])
    }

    // MARK: - Sequences that go on when their effect was cancelled

    /// Tells when it goes.
    private final class End: Sendable {
        let signal: Signal
        init(_ signal: Signal) { self.signal = signal }
        deinit { signal.fire() }
    }

    /// Ten elements, of which the second cancels what iterates them; ends then by failing, if it is to.
    private struct Stubborn<Element: Sendable>: AsyncSequence, Sendable {
        let pulls: Trace
        let ended: Signal
        var fails = false
        let cancel: @Sendable () -> Void
        let element: @Sendable (Int) -> Element

        struct AsyncIterator: AsyncIteratorProtocol {
            let sequence: Stubborn
            let end: End
            var count = 0

            mutating func next() async throws -> Element? {
                guard count < 10 else { return nil }
                count += 1
                sequence.pulls.add("\(count)")
                if count == 2 {
                    sequence.cancel()
                    if sequence.fails { throw Broken(value: 7) }
                }
                return sequence.element(count)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self, end: End(ended)) }
    }

    /// The same, which cannot fail.
    private struct Unfailing<Element: Sendable>: AsyncSequence, Sendable {
        let base: Stubborn<Element>

        struct AsyncIterator: AsyncIteratorProtocol {
            var base: Stubborn<Element>.AsyncIterator

            mutating func next() async -> Element? {
                do { return try await base.next() } catch { return nil }
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
    }

    typealias Plain = EffectMiddleware<Int, Int, Int, Void>

    /// Runs an effect whose sequence may cancel it, until the sequence is let go of.
    private func pulls(
        _ make: @escaping @Sendable (@escaping @Sendable () -> Void, Trace, Signal) -> Effect<Void, Int>
    ) async -> [String] {
        let (pulls, ended) = (Trace(), Signal())
        let own = Kept<UnsafeShare<Plain>>()
        let middleware = UnsafeShare(
            Plain.onAction { _, _, _ in make({ own.value?.value.cancelEffects() }, pulls, ended) })
        own.value = middleware
        middleware.value.handle(action: 1, from: .here(), state: GetState { 0 }).run { _ in }
        await ended.wait()
        own.value = nil
        return pulls.lines
    }

    @Test(arguments: ["plain", "failing", "with sources", "emitting nothing", "emitting failures"])
    func `a sequence that goes on when its effect was cancelled is asked no more`(_ form: String) async {
        let pulled = await pulls { cancel, pulls, ended in
            let numbers = Stubborn(pulls: pulls, ended: ended, cancel: cancel) { $0 }
            switch form {
            case "plain": return Unfailing(base: numbers).asEffect()
            case "failing": return numbers.asEffect { _ in nil }
            case "with sources":
                let actions = Stubborn(pulls: pulls, ended: ended, cancel: cancel) {
                    DispatchedAction($0, dispatcher: .named("x"))
                }
                return Effect(Unfailing(base: actions))
            case "emitting nothing": return .fireAndForget(Unfailing(base: numbers))
            default: return .fireAndForget(numbers) { _ in nil }
            }
        }
        #expect(pulled == ["1", "2"])
    }

    @Test(arguments: [true, false])
    func `a failure that comes when the effect was cancelled is nobody's`(emits: Bool) async {
        let caught = Trace()
        let pulled = await pulls { cancel, pulls, ended in
            let numbers = Stubborn(pulls: pulls, ended: ended, fails: true, cancel: cancel) { $0 }
            if emits {
                return numbers.asEffect { error in
                    caught.add("\(error)")
                    return nil
                }
            }
            return .fireAndForget(numbers) { error in
                caught.add("\(error)")
                return nil
            }
        }
        #expect(pulled == ["1", "2"])
        #expect(caught.lines == [])
    }
}
