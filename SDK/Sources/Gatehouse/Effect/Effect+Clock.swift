// SPDX-License-Identifier: Apache-2.0

/// Effects in time.
///
/// The clock is a parameter, so that tests can supply their own; plugins take the one of their context.
extension Effect {
    /// Returns the same effect, started some time later; cancelling it earlier prevents the start.
    ///
    /// It counts as running, and holds its token, from the beginning.
    public func delay(for duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Effect {
        guard doesSomething else { return self }
        // Each part waits for itself, under its own token.
        return mapParts { $0.delay(for: duration, clock: clock) } ?? delayed(by: duration, clock, like: self)
    }

    /// Returns the same effect as part of one that waits first.
    private func delayed(
        by duration: Duration, _ clock: any Clock<Duration>, like other: Effect
    ) -> Effect {
        Effect(
            .start { context, output in
                let alarm = Alarm.after(duration, on: clock)
                let start = output.inDrain { perform(context, output) }
                output.task {
                    // The clock's wait was cancelled or impossible: either way the effect ends unstarted.
                    do { try await alarm.wait() } catch { return output.finish() }
                    start.dispatch(())
                }
            }, like: other)
    }

    /// Returns the same effect, started once no other effect with this token has come for some time.
    ///
    /// Of the effects that come before that, only the last is started. The parts of a join have their own tokens once started.
    public func debounce(
        _ token: some Hashable & Sendable, for quiet: Duration,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Effect {
        guard doesSomething else { return self }
        return delayed(by: quiet, clock, like: named(EffectToken(token)))
    }

    /// Returns the same effect, started at most once in each interval; the first is started at once.
    ///
    /// Effects of one middleware with the same `id` share their intervals. `id` is not a token: a started effect continues
    /// beside its successors, unless both have a token.
    ///
    /// `latest` determines whether the last effect that came during an interval is started at its end; the others are dropped.
    /// An effect that waits for its start already has its token, and cancels the running effect with it; one dropped without
    /// `latest` never takes it.
    public func throttle(
        id: some Hashable & Sendable, for interval: Duration, clock: any Clock<Duration> = ContinuousClock(),
        latest: Bool = true
    ) -> Effect {
        guard doesSomething else { return self }
        let id = EffectToken(id)
        guard latest else {
            return Effect(
                .start(
                    { context, output in perform(context, output) },
                    if: { registry, executor in
                        registry.throttle.open(
                            id, Alarm.after(interval, on: clock), interval: interval, executor)
                    }), like: self)
        }
        return Effect(
            .start { context, output in
                let throttle = context.base.registry.throttle
                let start = output.inDrain { perform(context, output) }
                if throttle.open(id, Alarm.after(interval, on: clock), interval: interval, output.executor) {
                    start.dispatch(())
                } else {
                    throttle.await(id, start)
                }
            }, like: self)
    }

    /// Emits an action at each end of an interval, until it is cancelled; in the background.
    ///
    /// The moments are fixed from the start and do not drift. One action makes up for all moments missed because the machine
    /// was busy or asleep.
    ///
    /// `interval` must be more than zero. `action` is called for each tick, on no particular thread.
    public static func timer(
        token: (any Hashable & Sendable)? = nil, every interval: Duration,
        clock: any Clock<Duration> = ContinuousClock(),
        file: String = #file, function: String = #function, line: UInt = #line,
        _ action: @escaping @Sendable () -> OutputAction
    ) -> Effect {
        if interval <= .zero { trap("a timer's interval must be more than zero, and is \(interval)") }
        let source = ActionSource(file: file, function: function, line: line, info: nil)
        return start(token: token) { _, output in
            let first = Alarm.after(interval, on: clock)
            output.perform {
                var alarm = first
                while !output.isCancelled {
                    do { try await alarm.wait() } catch { break }
                    alarm = alarm.next(interval)
                    await output.emit(DispatchedAction(action(), dispatcher: source))
                }
            }
        }.inBackground
    }
}
