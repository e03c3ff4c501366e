// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Gatehouse

/// How many effects of one middleware run beside each other.
@Suite(.timeLimit(.minutes(10)))
struct EffectLimitTests {
    private typealias Middleware = EffectMiddleware<Int, Int, Int, Void>

    /// The outputs of effects by action, in the order in which they began.
    private final class Outputs: Sendable {
        private let all = Lock<[(action: Int, output: EffectOutput<Int>)]>([])

        /// The actions whose effects have begun.
        var actions: [Int] { all.withLock { $0.map(\.action) } }

        /// Keeps the action with the output that its effect was given.
        func add(_ action: Int, _ output: EffectOutput<Int>) { all.withLock { $0.append((action, output)) } }

        /// The one of an action.
        subscript(action: Int) -> EffectOutput<Int>? {
            all.withLock { $0.first { $0.action == action }?.output }
        }
    }

    /// A store whose effects stay open until a test ends them, at most three at once.
    private struct Scene {
        let store: Store<Int, Int>
        let outputs = Outputs()
        let told: Trace

        init(
            limit: Int = 3,
            _ change: @escaping @Sendable (Int, Effect<Void, Int>) -> Effect<Void, Int> = { $1 }
        ) {
            let outputs = outputs
            let told = Trace()
            self.told = told
            store = Store(
                initialState: 0, reducer: .adding,
                middleware: Middleware(dependencies: (), maximumEffects: limit) { action, _, _ in
                    guard action > 0 else { return .doNothing }
                    return change(
                        action,
                        .start { _, output in outputs.add(action, output) })
                }, hooks: StoreHooks(onMisuse: { told.add("\($0)") }))
        }

        /// The actions whose effects have begun.
        var begun: [Int] { outputs.actions }

        /// Ends the effect of an action.
        func end(_ action: Int) {
            outputs[action]?.finish()
        }

        /// Answers actions one after the other.
        func dispatch(_ actions: ClosedRange<Int>) {
            for action in actions { store.dispatch(action, from: .named("T.swift")) }
        }
    }

    private let waiting =
        "T.swift:1: expected at most 3 effects of one middleware running, found more, which wait until others end; start "
        + "fewer at once, or put those without an end into the background"

    @Test func `one more than may run waits until another ends, in order, and that is told once`() {
        let scene = Scene()
        scene.dispatch(1...6)
        #expect(scene.begun == [1, 2, 3])
        #expect(scene.told.lines == [waiting])
        scene.end(2)
        #expect(scene.begun == [1, 2, 3, 4])
        scene.end(4)
        scene.end(1)
        #expect(scene.begun == [1, 2, 3, 4, 5, 6])
        scene.dispatch(7...7)
        #expect(scene.begun == [1, 2, 3, 4, 5, 6])
        for action in [3, 5, 6] { scene.end(action) }
        #expect(scene.begun == [1, 2, 3, 4, 5, 6, 7])
        #expect(!scene.store.activity.isIdle)
        scene.end(7)
        #expect(scene.store.activity.isIdle)
        #expect(scene.told.lines == [waiting])
    }

    @Test func `what a waiting effect emits arrives when it runs`() {
        let scene = Scene(limit: 1)
        scene.dispatch(1...2)
        scene.end(1)
        scene.outputs[2]?.send(100)
        #expect(scene.store.state == 1 + 2 + 100)
        #expect(scene.begun == [1, 2])
    }

    @Test func `an effect that is cancelled while it waits never begins, and the next one does`() {
        let scene = Scene { action, effect in
            var effect = effect
            if action == 4 { effect = .start(token: "t") { _, output in output.finish() } }
            return action == 9 ? .cancel("t") : effect
        }
        scene.dispatch(1...5)
        scene.dispatch(9...9)
        scene.end(1)
        #expect(scene.begun == [1, 2, 3, 5])
        scene.dispatch(6...6)
        #expect(scene.begun == [1, 2, 3, 5], "the place of the cancelled one was not given away twice")
        scene.end(2)
        #expect(scene.begun == [1, 2, 3, 5, 6])
    }

    @Test func `cancelling everything begins nothing that waits`() {
        let scene = Scene()
        scene.dispatch(1...6)
        scene.store.queue.withExclusiveAccess { [body = scene.store.body] in body.middleware.cancelEffects() }
        #expect(scene.begun == [1, 2, 3])
        #expect(scene.store.activity.isIdle)
        scene.dispatch(7...10)
        #expect(scene.begun == [1, 2, 3, 7, 8, 9])
    }

    @Test func `effects in the background have places of their own, and one more is not started`() {
        let scene = Scene { action, effect in action > 10 ? effect.inBackground : effect }
        scene.dispatch(1...3)
        scene.dispatch(11...14)
        #expect(scene.begun == [1, 2, 3, 11, 12, 13])
        let refused =
            "T.swift:1: expected at most 3 effects of one middleware in the background, found another, which was not "
            + "started; cancel those that are not needed any more"
        #expect(scene.told.lines == [refused])
        scene.dispatch(15...15)
        #expect(scene.told.lines == [refused, refused])
        scene.end(12)
        scene.dispatch(16...16)
        #expect(scene.begun == [1, 2, 3, 11, 12, 13, 16])
    }

    @Test func `what is over at once never waits, also mapped`() {
        let trace = Trace()
        let scene = Scene(limit: 1) { action, effect in
            switch action {
            case 2: .fireAndForget { _ in trace.add("done") }
            case 3: Effect<Void, String>.just { _ in "100" }.map { Int($0) ?? 0 }
            case 4: effect.map { $0 }
            default: effect
            }
        }
        scene.dispatch(1...4)
        #expect(trace.lines == ["done"])
        #expect(scene.store.state == 1 + 2 + 3 + 4 + 100)
        #expect(scene.begun == [1])
    }

    @Test func `an effect that goes on in the background makes room`() {
        let scene = Scene()
        scene.dispatch(1...4)
        scene.outputs[1]?.continueInBackground()
        #expect(scene.begun == [1, 2, 3, 4])
        scene.dispatch(5...5)
        scene.end(1)
        #expect(scene.begun == [1, 2, 3, 4], "its place among the others was free already")
        scene.end(2)
        #expect(scene.begun == [1, 2, 3, 4, 5])
    }

    @Test func `what is appended to an effect that waits comes when it has run`() {
        let scene = Scene(limit: 1) { action, effect in action == 2 ? effect.append(100) : effect }
        scene.dispatch(1...2)
        scene.end(1)
        #expect(scene.store.state == 3)
        scene.end(2)
        #expect(scene.store.state == 103)
    }

    @Test func `an effect that goes on in the background takes a place there`() {
        let scene = Scene(limit: 2) { action, effect in action > 10 ? effect.inBackground : effect }
        scene.dispatch(1...2)
        for action in 1...2 { scene.outputs[action]?.continueInBackground() }
        scene.dispatch(3...3)
        scene.dispatch(11...11)
        #expect(scene.begun == [1, 2, 3])
        scene.end(1)
        scene.dispatch(12...13)
        #expect(scene.begun == [1, 2, 3, 12])
    }
}
