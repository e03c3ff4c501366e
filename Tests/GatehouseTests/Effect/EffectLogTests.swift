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
        init(_ trace: Trace) { self.trace = trace }

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
        func isKept(_ number: UInt64) -> Bool { false }
    }

    /// Gives the middleware an action, and its effects an output with a log.
    private func handle(_ action: Int, in drain: Drain? = nil) {
        let sink = ActionSink<Int>(drain: drain, activity: Activity(log: Log(trace))) { [trace] dispatched in
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
}
