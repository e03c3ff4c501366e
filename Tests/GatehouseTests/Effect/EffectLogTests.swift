// SPDX-License-Identifier: Apache-2.0

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

        init(_ trace: Trace, keeps: Bool) {
            self.trace = trace
            self.keeps = keeps
        }

        func begin(_ kind: Activity.Kind, _ recovery: EffectRecovery?, within whole: UInt64?) -> UInt64? {
            trace.add("begin \(kind)")
            return UInt64(trace.lines.count { $0.hasPrefix("begin") })
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
}
