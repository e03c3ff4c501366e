// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Counts the effects that are running, so that a run knows when it is over, and what came after its end.
///
/// Callable from any thread.
public final class Activity: Sendable {
    /// What an effect means to the run that it belongs to.
    public enum Kind: Sendable {
        /// The run does not end before it.
        case foreground
        /// The same, and a run that is asked to end gives it time; many of them hold input back.
        case finishing
        /// It goes on for ever, as timers and servers do, and the run ends without it.
        case background
    }

    /// What is guarded by the lock.
    private struct Count {
        /// Effects that hold a run open.
        var foreground = 0
        /// Those of them that finish.
        var finishing = 0
        /// Effects that do not hold it open.
        var background = 0
        /// Those of them that have not emitted anything, and would say nothing at the end either.
        var silent = 0
        /// Effects that were not run.
        var stubbed = 0
        /// Actions that came after the store was released.
        var late = 0
        /// Called each time the foreground count falls to zero.
        var onIdle: (@Sendable () -> Void)?
        /// A count of those that finish at whose coming from above `onIdle` is called; nil for none.
        var level: Int?
    }

    /// The counts, under a lock that is never held while `onIdle` is called.
    private let count = Lock(Count())
    /// What these effects are a part of; counts them too.
    private let whole: Activity?
    /// How the work of these effects is run.
    public let execution: EffectExecution
    /// Takes note of these effects; nil where nobody does.
    public let log: (any EffectLog)?

    /// No effect running.
    ///
    /// - Parameters:
    ///   - whole: counts these effects too, nil for none.
    ///   - execution: how their work is run; nil for as in `whole`, and in tasks where that is nil too.
    ///   - log: takes note of these effects; nil for nobody.
    public init(
        within whole: Activity? = nil, execution: EffectExecution? = nil, log: (any EffectLog)? = nil
    ) {
        self.log = log
        self.whole = whole
        self.execution = execution ?? whole?.execution ?? .tasks
    }

    /// Counts one more piece of work of this kind as running.
    public func begin(_ kind: Kind) {
        count.withLock { count in
            if kind == .finishing { count.finishing += 1 }
            if kind == .background { count.background += 1 } else { count.foreground += 1 }
        }
        whole?.begin(kind)
    }

    /// Counts one less; `kind` as it was given to `begin`.
    public func end(_ kind: Kind) {
        let onIdle = count.withLock { count -> (@Sendable () -> Void)? in
            if kind == .background {
                count.background -= 1
                return nil
            }
            count.foreground -= 1
            if kind == .finishing {
                count.finishing -= 1
                if count.finishing == count.level { return count.onIdle }
            }
            return count.foreground == 0 ? count.onIdle : nil
        }
        onIdle?()
        whole?.end(kind)
    }

    /// Counts one less once everything that waits in the drain, and everything that follows from it, has been processed;
    /// at once where there is no drain.
    ///
    /// - Parameters:
    ///   - logged: the number of an effect that is settled in the log then; nil for none.
    ///   - isLeft: whether the effect leaves its work to whoever begins it next.
    public func end(_ kind: Kind, logged: UInt64? = nil, isLeft: Bool = false, atRestOf drain: Drain?) {
        let settle = { @Sendable [self] in
            if let logged { log?.settle(logged, isLeft: isLeft) }
            end(kind)
        }
        if let drain { drain.enqueueAtRest(settle) } else { settle() }
    }

    /// Whether no effect holds the run open.
    public var isIdle: Bool { count.withLock { $0.foreground == 0 } }

    /// How many effects hold the run open.
    public var foreground: Int { count.withLock { $0.foreground } }

    /// How many of them finish.
    public var finishing: Int { count.withLock { $0.finishing } }

    /// How many effects are running, those in the background included.
    public var running: Int { count.withLock { $0.foreground + $0.background } }

    /// How many effects in the background have not emitted anything so far, and have no last action for the end of the run.
    public var silent: Int { count.withLock { $0.silent } }

    /// Counts one more of those, or one less.
    func countSilent(_ change: Int) {
        count.withLock { $0.silent += change }
        whole?.countSilent(change)
    }

    /// How many effects were not run, because they are stubbed.
    public var stubbed: Int { count.withLock { $0.stubbed } }

    /// Counts one more of those.
    public func countStubbed() {
        count.withLock { $0.stubbed += 1 }
        whole?.countStubbed()
    }

    /// How many actions arrived after the store was released, and were dropped.
    public var lateActions: Int { count.withLock { $0.late } }

    /// Counts one more of those.
    func countLateAction() { count.withLock { $0.late += 1 } }

    /// Sets what is called, on the thread of the last effect, when the foreground count falls to zero.
    ///
    /// It is called too when the effects that finish come down to `level`: for who waits for room.
    public func onIdle(orAt level: Int? = nil, _ body: (@Sendable () -> Void)?) {
        count.withLock { count in
            count.onIdle = body
            count.level = level
        }
    }
}
