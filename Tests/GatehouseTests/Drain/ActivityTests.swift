// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(10)))
struct ActivityTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>

    private let trace = Trace()

    @Test func `effects in the foreground hold a run open, those in the background do not`() {
        let activity = Activity()
        activity.onIdle { [trace] in trace.add("idle") }
        activity.begin(.background)
        #expect(activity.isIdle)
        activity.begin(.foreground)
        activity.begin(.foreground)
        #expect(!activity.isIdle)
        #expect(activity.running == 3)
        activity.end(.foreground)
        #expect(trace.lines == [])
        activity.end(.foreground)
        #expect(trace.lines == ["idle"])
        activity.end(.background)
        #expect(trace.lines == ["idle"])
        #expect(activity.running == 0)
    }

    @Test func `a part counts for itself and in the whole`() {
        let whole = Activity()
        let part = Activity(within: whole)
        let other = Activity(within: whole)
        whole.onIdle { [trace] in trace.add("idle") }
        part.begin(.foreground)
        other.begin(.foreground)
        other.begin(.background)
        #expect((part.foreground, other.running, whole.foreground, whole.running) == (1, 2, 2, 3))
        part.end(.foreground)
        #expect(trace.lines == [])
        other.end(.foreground)
        #expect(trace.lines == ["idle"])
    }

    @Test
    func `what finishes, is silent or is stubbed in a part counts in the whole, what comes late does not`() {
        let whole = Activity()
        let part = Activity(within: whole)
        for kind in [Activity.Kind.finishing, .background, .foreground] { part.begin(kind) }
        part.countSilent(1)
        part.countStubbed()
        part.countLateAction()
        for activity in [part, whole] {
            #expect(activity.foreground == 2)
            #expect(activity.finishing == 1)
            #expect(activity.running == 3)
            #expect(activity.silent == 1)
            #expect(activity.stubbed == 1)
        }
        #expect(part.lateActions == 1)
        #expect(whole.lateActions == 0)
        part.countSilent(-1)
        for kind in [Activity.Kind.finishing, .background, .foreground] { part.end(kind) }
        for activity in [part, whole] {
            #expect(activity.finishing == 0)
            #expect(activity.running == 0)
            #expect(activity.silent == 0)
        }
    }

    @Test func `the last that finishes does not make idle what others still hold open`() {
        let activity = Activity()
        activity.onIdle { [trace] in trace.add("idle") }
        activity.begin(.foreground)
        activity.begin(.finishing)
        activity.end(.finishing)
        #expect(trace.lines == [])
        activity.end(.foreground)
        #expect(trace.lines == ["idle"])
    }

    @Test func `whoever waits for room is told when those that finish come down to a level`() {
        let activity = Activity()
        activity.onIdle(orAt: 1) { [trace] in trace.add("\(activity.finishing)") }
        for _ in 0..<3 { activity.begin(.finishing) }
        for _ in 0..<3 { activity.end(.finishing) }
        #expect(trace.lines == ["1", "0"])
        activity.onIdle(nil)
    }

    @Test func `idle is told each time, and no more once unset`() {
        let activity = Activity()
        activity.onIdle { [trace] in trace.add("idle") }
        for _ in 0..<2 {
            activity.begin(.foreground)
            activity.end(.foreground)
        }
        activity.onIdle(nil)
        activity.begin(.foreground)
        activity.end(.foreground)
        #expect(trace.lines == ["idle", "idle"])
    }

    @Test func `a background effect is counted as such by the store`() {
        let kept = Kept<EffectOutput<Int>>()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: Middleware.onAction { _, _, _ in
                Effect.start { _, output in kept.value = output }.inBackground
            })
        store.dispatch(1)
        #expect(store.activity.isIdle)
        #expect(store.activity.running == 1)
        kept.value?.finish()
        #expect(store.activity.running == 0)
    }

    @Test func `end of a run: idle is told when everything that followed from an effect's outputs is done`() {
        let trace = trace
        let first = Kept<EffectOutput<Int>>()
        let second = Kept<EffectOutput<Int>>()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .reduce { action, _ in trace.add("\(action)") },
            middleware: Middleware.onAction { action, _, _ in
                switch action {
                case 1: .start { _, output in first.value = output }
                case 2: .just(3)
                case 3: .start { _, output in second.value = output }
                default: .doNothing
                }
            })
        store.activity.onIdle { trace.add("idle") }
        store.dispatch(1)
        // Both arrive while somebody else drains: the end is in the mail before anybody has looked at the output.
        #expect(store.drain.enter(StoreThread.current &+ 1))
        first.value?.send(2)
        first.value?.finish()
        store.drain.leave()
        store.drain.drainIfIdle()
        #expect(trace.lines == ["1", "2", "3"], "the output led to another effect, which is running")
        second.value?.send(4)
        second.value?.finish()
        #expect(trace.lines == ["1", "2", "3", "4", "idle"])
    }

    @Test func `releasing the store ends the count of what it cancels`() {
        let kept = Kept<EffectOutput<Int>>()
        let trace = trace
        let activity: Activity
        do {
            let store = Store<Int, Int>(
                initialState: 0, reducer: .adding,
                middleware: Middleware.onAction { _, _, _ in .start { _, output in kept.value = output } })
            activity = store.activity
            activity.onIdle { trace.add("idle") }
            store.dispatch(1)
            #expect(!activity.isIdle)
        }
        #expect(activity.isIdle)
        #expect(trace.lines == ["idle"])
    }

    @Test func `a part is idle before the whole is`() {
        let whole = Activity()
        let part = Activity(within: whole)
        part.onIdle { [trace] in trace.add("part, \(whole.foreground) in the whole") }
        whole.onIdle { [trace] in trace.add("whole") }
        part.begin(.foreground)
        part.end(.foreground)
        #expect(trace.lines == ["part, 1 in the whole", "whole"])
    }

    @Test func `nothing is counted at first, and the work of a part is run as that of the whole`() {
        let executor = TestExecutor()
        let whole = Activity(execution: .preferring(executor))
        let part = Activity(within: whole)
        for activity in [whole, part, Activity()] {
            #expect(activity.isIdle)
            #expect((activity.foreground, activity.finishing, activity.running) == (0, 0, 0))
            #expect((activity.silent, activity.stubbed, activity.lateActions) == (0, 0, 0))
        }
        #expect(part.execution.executor != nil)
        #expect(Activity().execution.executor == nil)
        #expect(Activity(within: whole, execution: .tasks).execution.executor == nil)
    }

    /// Writes down what is settled.
    private final class Log: EffectLog {
        private let trace: Trace

        init(_ trace: Trace) { self.trace = trace }

        func begin(_ kind: Activity.Kind, _ recovery: EffectRecovery?, within whole: UInt64?) -> UInt64? {
            nil
        }
        func beginWork(_ number: UInt64) {}
        func end(_ number: UInt64, isCancelled: Bool) {}
        func continueInBackground(_ number: UInt64) {}
        func settle(_ number: UInt64, isLeft: Bool) { trace.add("settled \(number), \(isLeft)") }
        func isKept(_ number: UInt64) -> Bool { false }
    }

    @Test func `an effect is settled before it counts as over, and leaves its work only if told`() {
        let activity = Activity(log: Log(trace))
        activity.onIdle { [trace] in trace.add("idle") }
        for _ in 0..<3 { activity.begin(.foreground) }
        activity.end(.foreground, atRestOf: nil)
        activity.end(.foreground, logged: 7, isLeft: true, atRestOf: nil)
        activity.end(.foreground, logged: 8, atRestOf: nil)
        #expect(trace.lines == ["settled 7, true", "settled 8, false", "idle"])
    }
}
