// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Gatehouse

/// One effect from its start to its end.
@Suite(.timeLimit(.minutes(5)))
struct EffectRunTests {
    private let kept = Kept<EffectOutput<Int>>()
    private let middleware: EffectMiddleware<Int, Int, Int, Void>

    init() {
        middleware = .onAction { [kept] _, _, _ in .start { _, output in kept.value = output } }
    }

    @Test func `what an effect emits shows the mark of what has started it, and then the mark is as before`()
    {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let marks = Lock<[UInt64]>([])
        let sink = ActionSink<Int>(drain: queue, activity: nil) { _ in
            let mark = queue.mark
            marks.withLock { $0.append(mark) }
        }
        queue.withExclusiveAccess {
            queue.mark = 5
            middleware.handle(action: 1, from: .here(), state: GetState { 0 }).run(AnyActionHandler(sink))
            queue.mark = 7
            kept.value?.send(1)
            #expect(queue.mark == 7)
        }
        kept.value?.send(2)
        #expect(marks.withLock { $0 } == [5 | Drain.effectMark, 5 | Drain.effectMark])
        #expect(queue.withExclusiveAccess { queue.mark } == 7)
    }

    @Test func `an effect that was begun outside of every drain emits all the same`() {
        let outputs = Trace()
        middleware.handle(action: 1, from: .here(), state: GetState { 0 }).run { outputs.add("\($0.action)") }
        kept.value?.send(1)
        middleware.cancelEffects()
        kept.value?.send(2)
        #expect(outputs.lines == ["1"])
    }

    @Test func `an effect is stopped before it counts as over`() {
        let trace = Trace()
        let activity = Activity()
        activity.onIdle { trace.add("idle") }
        let sink = ActionSink<Int>(drain: nil, activity: activity) { _ in }
        middleware.handle(action: 1, from: .here(), state: GetState { 0 }).run(AnyActionHandler(sink))
        kept.value?.onCancel { trace.add("stopped") }
        middleware.cancelEffects()
        #expect(trace.lines == ["stopped", "idle"])
    }
}
