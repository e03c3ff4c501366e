// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import Gatehouse

/// What a log of effects is told about each, and when.
struct EffectLogTests {
    private let trace = Trace()
    private let kept = Kept<EffectOutput<Int>>()
    private let middleware: EffectMiddleware<Int, Int, Int, Void>

    init() {
        middleware = .onAction { [kept] action, _, _ in
            action == 0 ? .cancel("t") : .start(token: "t") { _, output in kept.value = output }
        }
    }

    /// Writes down what it is told; numbers effects from 1.
    private final class Log: EffectLog {
        private let trace: Trace
        private let keeps: Bool
        private let begins: Bool

        init(_ trace: Trace, keeps: Bool = false, begins: Bool = true) {
            self.trace = trace
            self.keeps = keeps
            self.begins = begins
        }

        func begin(_ kind: Activity.Kind, _ recovery: EffectRecovery?, within whole: UInt64?) -> UInt64? {
            trace.add("begin \(kind)")
            return begins ? UInt64(trace.lines.count { $0.hasPrefix("begin") }) : nil
        }

        func beginWork(_ number: UInt64) { trace.add("work \(number)") }
        func end(_ number: UInt64, isCancelled: Bool) {
            trace.add("end \(number)\(isCancelled ? ", cancelled" : "")")
        }
        func continueInBackground(_ number: UInt64) { trace.add("background \(number)") }
        func settle(_ number: UInt64, isLeft: Bool) { trace.add("settle \(number)\(isLeft ? ", left" : "")") }
        func isKept(_ number: UInt64) -> Bool { keeps }
    }

    /// Gives the middleware an action, and its effects an output with a log, after which somebody may begin what has not ended.
    private func handle(_ action: Int, in drain: Drain? = nil, keeps: Bool = false) {
        let log = Log(trace, keeps: keeps)
        let sink = ActionSink<Int>(drain: drain, activity: Activity(log: log)) { [trace] dispatched in
            trace.add("action \(dispatched.action)")
        }
        middleware.handle(action: action, from: .here(), state: GetState { 0 }).run(AnyActionHandler(sink))
    }

    @Test func `without a drain the log hears at once that an effect goes on in the background`() {
        handle(1)
        kept.value?.continueInBackground()
        #expect(trace.lines == ["begin foreground", "background 1"])
        kept.value?.finish()
        #expect(trace.lines.suffix(2) == ["end 1", "settle 1"])
    }

    @Test func `in a drain the log hears it when what the effect has sent is processed`() {
        let store = Store<Int, Int>(initialState: 0, reducer: .adding)
        handle(1, in: store.drain)
        store.queue.withExclusiveAccess {
            kept.value?.send(2)
            kept.value?.continueInBackground()
            trace.add("sent")
        }
        #expect(trace.lines == ["begin foreground", "action 2", "sent", "background 1"])
    }

    @Test func `a cancelled effect has ended for the log, and is settled`() {
        handle(1)
        handle(0)
        #expect(trace.lines == ["begin foreground", "end 1, cancelled", "settle 1"])
    }

    @Test func `an effect that somebody begins again leaves its work, and the log hears that it was left`() {
        handle(1, keeps: true)
        kept.value?.onCancel { [trace] in trace.add("stopped") }
        #expect(kept.value?.leave() == true)
        kept.value?.send(5)
        #expect(trace.lines == ["begin foreground", "stopped", "end 1", "settle 1, left"])
        #expect(kept.value?.leave() == true, "there is nothing more to leave")
        #expect(trace.lines.count == 4)
        #expect(middleware.runningEffects == 0)
    }

    @Test func `an effect that nobody begins again does not leave its work, and goes on`() {
        handle(1)
        #expect(kept.value?.leave() == false)
        kept.value?.send(5)
        #expect(trace.lines == ["begin foreground", "action 5"])
        #expect(middleware.runningEffects == 1)
    }

    @Test func `without a log an effect goes on, too`() {
        middleware.handle(action: 1, from: .here(), state: GetState { 0 }).run { [trace] in
            trace.add("action \($0.action)")
        }
        #expect(kept.value?.leave() == false)
        kept.value?.send(5)
        #expect(trace.lines == ["action 5"])
    }

    /// Runs effects of one middleware, one after the other, with a log.
    private func run(_ effects: [Effect<Void, Int>], maximum: Int = 10, begins: Bool = true)
        -> EffectMiddleware<
            Int, Int, Int, Void
        >
    {
        let middleware = EffectMiddleware<Int, Int, Int, Void>(dependencies: (), maximumEffects: maximum) {
            action, _, _ in effects[action]
        }
        let activity = Activity(log: Log(trace, begins: begins))
        let sink = ActionSink<Int>(drain: nil, activity: activity) { [trace] dispatched in
            trace.add("action \(dispatched.action)")
        }
        for index in effects.indices {
            middleware.handle(action: index, from: .here(), state: GetState { 0 }).run(AnyActionHandler(sink))
        }
        return middleware
    }

    /// An effect that stays open.
    private var open: Effect<Void, Int> { .start { [kept] _, output in kept.value = output } }

    @Test func `a throttled effect that is dropped has ended for the log, by itself`() {
        let throttled = open.throttle(id: "t", for: .seconds(1), clock: ManualClock(), latest: false)
        let middleware = run([throttled, throttled])
        #expect(trace.lines == ["begin foreground", "begin foreground", "end 2", "settle 2"])
        withExtendedLifetime(middleware) {}
    }

    @Test func `one more in the background than may be has ended for the log, cancelled`() {
        let middleware = run([open.inBackground, open.inBackground], maximum: 1)
        #expect(trace.lines == ["begin background", "begin background", "end 2, cancelled", "settle 2"])
        withExtendedLifetime(middleware) {}
    }

    @Test func `an effect that the log does not let begin is not run, and what is appended to it comes`() {
        let middleware = run([open.append(7)], begins: false)
        #expect(trace.lines == ["begin foreground", "action 7"])
        #expect(kept.value == nil)
        #expect(middleware.runningEffects == 0)
    }

    @Test func `an effect that has said its last when the run ends is not cancelled for the log`() {
        let last = Effect<Void, Int>.start { [kept] _, output in
            output.onStopping { $0.send(9) }
            kept.value = output
        }
        run([last]).stopEffects()
        #expect(trace.lines == ["begin foreground", "action 9", "end 1", "settle 1"])
        kept.value?.send(10)
        run([open]).stopEffects()
        #expect(trace.lines.dropFirst(4) == ["begin foreground", "end 2, cancelled", "settle 2"])
    }

    @Test func `the log hears that the work of an effect begins, ahead of what the work does`() async {
        let (trace, done) = (trace, Signal())
        let middleware = run([
            .run { _ in
                trace.add("working")
                done.fire()
            }
        ])
        await done.wait()
        #expect(trace.lines.prefix(3) == ["begin foreground", "work 1", "working"])
        withExtendedLifetime(middleware) {}
    }
}
