// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseTesting
import Testing

/// Which dependencies an effect works with that starts later than it is made.
@Suite(.timeLimit(.minutes(5)))
struct EffectDependenciesTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Int>
    typealias Work = Effect<Int, Int>

    /// The dependency, a number that changes.
    private let number = Kept<Int>()
    private let clock = ManualClock()
    private let reduced = AsyncStream<Int>.makeStream()

    /// A store that answers 1 by the effect and tells of all else.
    private func store(_ effect: @escaping @Sendable () -> Work) -> Store<Int, Int> {
        let (number, continuation) = (number, reduced.continuation)
        return Store(
            initialState: 0, reducer: .reduce { action, _ in if action != 1 { continuation.yield(action) } },
            middleware: Middleware(reading: { number.value ?? 0 }) { action, _, _ in
                action == 1 ? effect() : .doNothing
            })
    }

    /// The action that comes when the dependency is 10 as the effect is made and 20 as it starts.
    private func action(of effect: @escaping @Sendable () -> Work) async -> Int? {
        let store = store(effect)
        number.value = 10
        store.dispatch(1)
        await clock.sleepers(1)
        number.value = 20
        clock.advance(by: .seconds(1))
        var actions = reduced.stream.makeAsyncIterator()
        defer { withExtendedLifetime(store) {} }
        return await actions.next()
    }

    @Test func `a delayed effect has those that there are when it starts`() async {
        let found = await action { [clock] in
            Work.just { $0.dependencies + 100 }.delay(for: .seconds(1), clock: clock)
        }
        #expect(found == 120)
    }

    @Test func `so has one after a pause`() async {
        let found = await action { [clock] in
            Work.promise { context, answer in answer(context.dependencies + 100) }
                .debounce("t", for: .seconds(1), clock: clock)
        }
        #expect(found == 120)
    }

    @Test func `what was read while it was made stays as it was`() async {
        let number = number
        let found = await action { [clock] in
            let early = number.value ?? 0
            return Work.just(early + 100).delay(for: .seconds(1), clock: clock)
        }
        #expect(found == 110)
    }

    @Test func `injected dependencies are the same all the time`() {
        let trace = Trace()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: Middleware(dependencies: 7) { _, _, context in
                trace.add("\(context.dependencies)")
                return .doNothing
            })
        store.dispatch(1)
        store.dispatch(1)
        #expect(trace.lines == ["7", "7"])
    }
}
