// SPDX-License-Identifier: Apache-2.0

import CAllocations
import Dispatch
import Gatehouse
import Testing

/// Effects that have ended leave nothing behind; each run has a process of its own, whose heap nobody else uses.
@Suite(.timeLimit(.minutes(5)))
struct EffectLeakTests {
    /// The mix of one round of twenty actions, each an effect that has ended when the round has:
    /// seven that finish as they start, with and without token; three promises; four that replace each other; two that
    /// are cancelled by token; two that are dropped; a map; and one that finishes later.
    private static func effect(_ action: Int, _ kept: Kept<EffectOutput<Int>>) -> Effect<Void, Int> {
        switch action % 20 {
        case 0...3: .start { _, output in output.finish() }
        case 4...6: .start(token: action % 3) { _, output in output.finish() }
        case 7, 8: .promise { $0(-1) }
        case 9: .promise(token: "p") { $0(-1) }
        case 10...13: .start(token: "replaced") { _, output in kept.value = output }
        case 14: .cancel("replaced")
        case 15: .start(token: action) { _, output in kept.value = output }
        case 16: .cancel(action - 1)
        case 17: .start { _, _ in }
        case 18: Effect.start { _, output in kept.value = output }.map { $0 + 1 }
        default: .fireAndForget { kept.value = nil }
        }
    }

    /// Says what is not as it should be, for the test to read.
    private static func demand(_ condition: Bool, _ words: String) {
        if !condition { print(words) }
    }

    /// What the process said before it ended.
    private func words(of ended: ExitTest.Result?) -> String {
        String(decoding: ended?.standardOutputContent ?? [], as: UTF8.self)
    }

    @Test func `two hundred thousand effects, started and finished, leave memory where it was`() async {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            guard allocations_are_counted() else { return }
            let kept = Kept<EffectOutput<Int>>()
            let middleware = UnsafeShare(
                EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                    action < 0 ? .doNothing : Self.effect(action, kept)
                })
            let store = Store<Int, Int>(initialState: 0, reducer: .identity, middleware: Forward(middleware))
            let source = ActionSource(file: "test", function: "", line: 1, info: nil)
            for action in 0..<20_000 { store.dispatch(action, from: source) }
            let before = bytes_in_use()
            for action in 0..<200_000 { store.dispatch(action, from: source) }
            let after = bytes_in_use()
            Self.demand(
                middleware.value.runningEffects == 0, "\(middleware.value.runningEffects) effects did not end"
            )
            Self.demand(store.activity.running == 0, "\(store.activity.running) are counted")
            Self.demand(after < before + 64 * 1024, "the heap grew from \(before) to \(after) bytes")
        }
        #expect(words(of: ended) == "")
    }

    @Test func `thirty thousand tasks, finished, replaced and cancelled, leave memory where it was`() async {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            guard allocations_are_counted() else { return }
            let done = DispatchSemaphore(value: 0)
            let middleware = UnsafeShare(
                EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                    switch action % 5 {
                    case _ where action < 0: .doNothing
                    case 0, 1: .task { -1 }
                    case 2, 3: .run(token: "t") { output in output.send(-1) }
                    default: .cancel("t")
                    }
                })
            let store = Store<Int, Int>(initialState: 0, reducer: .identity, middleware: Forward(middleware))
            let source = ActionSource(file: "test", function: "", line: 1, info: nil)
            store.activity.onIdle { done.signal() }
            /// Starts effects in rounds, so that the tasks of one round are over before the next.
            func run(_ rounds: Int) {
                for _ in 0..<rounds {
                    store.activity.begin(.foreground)
                    for action in 0..<500 { store.dispatch(action, from: source) }
                    // Whoever drains may be another thread, with some of these actions still to come.
                    store.withState { _ in }
                    store.activity.end(.foreground)
                    done.wait()
                }
            }
            run(20)
            let before = bytes_in_use()
            run(60)
            let after = bytes_in_use()
            Self.demand(
                middleware.value.runningEffects == 0, "\(middleware.value.runningEffects) effects did not end"
            )
            Self.demand(after < before + 512 * 1024, "the heap grew from \(before) to \(after) bytes")
        }
        #expect(words(of: ended) == "")
    }
}
