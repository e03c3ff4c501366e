// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Counts running effects, so that a run knows when it is over, and actions that arrived after the end.
///
/// Callable from any thread.
public final class Activity: Sendable {
    /// How an effect affects the run that it belongs to.
    public enum Kind: Sendable {
        /// The run does not end before the effect does.
        case foreground
        /// Like `foreground`, and a run that is asked to end gives it time; many of them hold input back.
        case finishing
        /// The effect runs forever, as timers and servers do; the run ends without it.
        case background
    }

    /// The state that the lock guards.
    private struct Count {
        /// Effects that hold a run open.
        var foreground = 0
        /// The `finishing` ones among them.
        var finishing = 0
        /// Effects that do not hold a run open.
        var background = 0
        /// Background effects that have emitted nothing yet and have no last action for the end.
        var silent = 0
        /// Effects that were stubbed.
        var stubbed = 0
        /// Actions that arrived after the store was released.
        var late = 0
        /// Called each time the foreground count falls to zero.
        var onIdle: (@Sendable () -> Void)?
        /// Calls `onIdle` too when the count of finishing effects falls to this; nil for never.
        var level: Int?
    }

    /// The counts; the lock is never held while `onIdle` is called.
    private let count = Lock(Count())
    /// The activity that includes these effects; counts them too.
    private let whole: Activity?
    /// How these effects run their work.
    public let execution: EffectExecution
    /// Records these effects; nil for no log.
    public let log: (any EffectLog)?

    /// Creates an activity without effects.
    ///
    /// - Parameters:
    ///   - whole: counts these effects too; nil for none.
    ///   - execution: how their work is run; nil for as in `whole`, and in tasks where that is nil too.
    ///   - log: records these effects; nil for no log.
    public init(
        within whole: Activity? = nil, execution: EffectExecution? = nil, log: (any EffectLog)? = nil
    ) {
        self.log = log
        self.whole = whole
        self.execution = execution ?? whole?.execution ?? .tasks
    }

    /// Counts one more running effect of this kind, or so many.
    public func begin(_ kind: Kind, _ number: Int = 1) {
        count.withLock { count in
            if kind == .finishing { count.finishing += number }
            if kind == .background { count.background += number } else { count.foreground += number }
        }
        whole?.begin(kind, number)
    }

    /// Counts one less, or so many that have ended together, at least one; `kind` must be the one given to `begin`.
    public func end(_ kind: Kind, _ number: Int = 1) {
        let onIdle = count.withLock { count -> (@Sendable () -> Void)? in
            if kind == .background {
                count.background -= number
                return nil
            }
            count.foreground -= number
            let before = count.finishing
            if kind == .finishing { count.finishing -= number }
            let hasFallen = count.level.map { count.finishing <= $0 && $0 < before } ?? false
            return hasFallen || count.foreground == 0 ? count.onIdle : nil
        }
        onIdle?()
        whole?.end(kind, number)
    }

    /// Counts one less once the drain has processed all that waits there and all that follows from it; at once without a
    /// drain.
    ///
    /// - Parameters:
    ///   - logged: the number of an effect to settle in the log at that moment; nil for none.
    ///   - isLeft: whether the effect leaves its work to the next one that begins it.
    public func end(_ kind: Kind, logged: UInt64? = nil, isLeft: Bool = false, atRestOf drain: Drain?) {
        let settle = { @Sendable [self] in
            if let logged { log?.settle(logged, isLeft: isLeft) }
            end(kind)
        }
        if let drain { drain.enqueueAtRest(settle) } else { settle() }
    }

    /// Whether no effect holds the run open.
    public var isIdle: Bool { count.withLock { $0.foreground == 0 } }

    /// The number of effects that hold the run open.
    public var foreground: Int { count.withLock { $0.foreground } }

    /// The number of running `finishing` effects.
    public var finishing: Int { count.withLock { $0.finishing } }

    /// The number of running effects, including those in the background.
    public var running: Int { count.withLock { $0.foreground + $0.background } }

    /// The number of background effects that have emitted nothing yet and have no last action for the end of the run.
    public var silent: Int { count.withLock { $0.silent } }

    /// Adds `change` to the number of silent effects.
    func countSilent(_ change: Int) {
        count.withLock { $0.silent += change }
        whole?.countSilent(change)
    }

    /// The number of stubbed effects, which were not run.
    public var stubbed: Int { count.withLock { $0.stubbed } }

    /// Counts one more stubbed effect.
    public func countStubbed() {
        count.withLock { $0.stubbed += 1 }
        whole?.countStubbed()
    }

    /// The number of actions that arrived after the store was released, and were dropped.
    public var lateActions: Int { count.withLock { $0.late } }

    /// Counts one more late action.
    func countLateAction() { count.withLock { $0.late += 1 } }

    /// Sets the closure to call, on the thread of the last effect, when the foreground count falls to zero.
    ///
    /// Also called when the number of finishing effects falls to `level`, for callers that wait for room.
    public func onIdle(orAt level: Int? = nil, _ body: (@Sendable () -> Void)?) {
        count.withLock { count in
            count.onIdle = body
            count.level = level
        }
    }
}
