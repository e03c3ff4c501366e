// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// A reducer holds the state for itself.
@Suite(.timeLimit(.minutes(10)))
struct StateBoxTests {
    @Test func `a reducer that reads its own store traps and says why`() async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let own = Weak<Store<Int, Int>>()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: .reduce { action, state in state += action + (own.value?.state ?? 0) })
            own.value = store
            store.dispatch(1)
        }
        expectWords(of: ended)
    }

    @Test func `a reducer that calls a getter which a middleware kept traps and says why`() async {
        let ended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let kept = UnsafeShare(Getter())
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: .reduce { action, state in state += action + (kept.value.get?() ?? 0) },
                middleware: AnyMiddleware { _, _, state in
                    kept.value.get = state
                    return .pure()
                })
            store.dispatch(1)
        }
        expectWords(of: ended)
    }

    @Test func `a reducer may read another store`() {
        let other = Store<Int, Int>(initialState: 5, reducer: .adding)
        let store = Store<Int, Int>(
            initialState: 0, reducer: .reduce { action, state in state += action + other.state })
        store.dispatch(1)
        #expect(store.state == 6)
    }

    /// Looks for the reason in what a process wrote to standard error, in release builds too.
    private func expectWords(
        of ended: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let words = String(decoding: ended?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            words.contains(
                "Fatal error: a reducer must not read the state of its own store; it is given the state it changes"
            ),
            sourceLocation: sourceLocation)
    }
}

/// The getter a middleware was given.
private final class Getter {
    var get: GetState<Int>?
}
