// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Which threads of this process sleep until they get a drain, or get it back; so that no circle of them sleeps for ever.
///
/// A thread is here from before it sleeps until somebody lets it go on. Whoever enters looks along the way first: from the
/// drain it wants to the thread that drains, from there to what that thread sleeps for, and so on. Every circle has a last
/// thread that enters, which finds itself at the end of the way. Looked at only where a thread is about to sleep.
final class WaitTable: Sendable {
    /// What a thread sleeps for.
    private enum Wait: Sendable {
        /// Its turn in a drain.
        case turn(of: Drain)
        /// A thread that it has lent its right to.
        case thread(UInt)
    }

    /// What is guarded by the lock.
    ///
    /// Marked safe because a drain that is here is alive: it takes itself out, under the lock, before it goes.
    @safe
    private struct Entries {
        /// By the number of the thread.
        var waits: [UInt: Wait] = [:]
        /// The drains of the process.
        var drains: [ObjectIdentifier: Unmanaged<Drain>] = unsafe [:]
    }

    /// The table of this process.
    static let shared = WaitTable()

    /// The drains and those who wait for them, guarded by the lock.
    private let entries = Lock(Entries())

    // MARK: - Drains

    /// Takes note of a drain.
    func add(_ drain: Drain) {
        let id = ObjectIdentifier(drain)
        entries.withLock { unsafe $0.drains[id] = Unmanaged.passUnretained(drain) }
    }

    /// Forgets a drain that goes away.
    func remove(_ drain: Drain) {
        let id = ObjectIdentifier(drain)
        entries.withLock { entries in
            _ = unsafe entries.drains.removeValue(forKey: id)
        }
    }

    /// Whether the thread with this number drains anything, so that others may wait for it.
    func hasDrain(_ thread: UInt) -> Bool {
        entries.withLock { entries in
            unsafe entries.drains.values.contains { drain in
                unsafe drain._withUnsafeGuaranteedRef { $0.owner.load(ordering: .relaxed) == thread }
            }
        }
    }

    // MARK: - Turns

    /// Enters a thread that is about to sleep for its turn.
    ///
    /// - Returns: the drains on the way back to the thread, the one it wants first, if it would sleep for itself; it is not
    ///   entered then, and the turn is withdrawn. Otherwise nil.
    func enter(_ turn: Turn) -> [Drain]? {
        entries.withLock { entries in
            guard turn.isOpen else { return nil }
            guard let circle = Self.way(from: turn.drain, to: turn.waiter, entries.waits) else {
                entries.waits[turn.waiter] = .turn(of: turn.drain)
                return nil
            }
            turn.isOpen = false
            return circle
        }
    }

    /// Lends the right to drain to the thread that waits for its turn; false when the turn was withdrawn.
    func lend(_ turn: Turn, by lender: UInt) -> Bool {
        entries.withLock { entries in
            guard turn.isOpen else { return false }
            turn.isOpen = false
            turn.lender = lender
            entries.waits[turn.waiter] = nil
            entries.waits[lender] = .thread(turn.waiter)
            turn.drain.owner.store(turn.waiter, ordering: .sequentiallyConsistent)
            return true
        }
    }

    /// Ends a turn without lending anything.
    func decline(_ turn: Turn) {
        entries.withLock { _ in turn.isOpen = false }
    }

    /// Gives the right back to the thread that lent it.
    func giveBack(_ turn: Turn) {
        entries.withLock { entries in
            entries.waits[turn.lender] = nil
            turn.drain.owner.store(turn.lender, ordering: .sequentiallyConsistent)
        }
    }

    /// The drains on the way from one that is wanted to a thread; nil when the way ends elsewhere.
    private static func way(from wanted: Drain, to thread: UInt, _ waits: [UInt: Wait]) -> [Drain]? {
        var drains = [wanted]
        var current = wanted.owner.load(ordering: .relaxed)
        // A thread sleeps for one thing at a time, so the way has no branches and comes to an end.
        for _ in 0...waits.count {
            if current == thread { return drains }
            switch waits[current] {
            case nil: return nil
            case .thread(let next): current = next
            case .turn(let drain):
                drains.append(drain)
                current = drain.owner.load(ordering: .relaxed)
            }
        }
        return nil
    }
}
