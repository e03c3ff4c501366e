// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The threads of this process that sleep for a drain, or until they get it back; prevents circles that sleep forever.
///
/// A thread is listed from before it sleeps until it is woken. Before a thread is entered, the table follows the way: from
/// the drain it wants to the thread that drains, from there to what that thread sleeps for, and so on. Every circle has a
/// last thread that enters, which finds itself at the end of the way. Consulted only where a thread is about to sleep.
final class WaitTable: Sendable {
    /// A reason for a thread to sleep.
    private enum Wait: Sendable {
        /// It waits for its turn in a drain.
        case turn(of: Drain)
        /// It has lent its right to this thread.
        case thread(UInt)
    }

    /// The state that the lock guards.
    ///
    /// Marked safe because every listed drain is alive: it removes itself, under the lock, before it is destroyed.
    @safe
    private struct Entries {
        /// The waits by thread number.
        var waits: [UInt: Wait] = [:]
        /// All drains of the process.
        var drains: [ObjectIdentifier: Unmanaged<Drain>] = unsafe [:]
    }

    /// The table of this process.
    static let shared = WaitTable()

    /// The drains and the waiting threads, guarded by the lock.
    private let entries = Lock(Entries())

    // MARK: - Drains

    /// Adds a drain.
    func add(_ drain: Drain) {
        entries.withLock { unsafe $0.drains[ObjectIdentifier(drain)] = Unmanaged.passUnretained(drain) }
    }

    /// Removes a drain that is being destroyed.
    func remove(_ drain: Drain) { entries.withLock { unsafe $0.drains[ObjectIdentifier(drain)] = nil } }

    /// Returns whether the thread with this number drains anything, so that others may wait for it.
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
    /// - Returns: the drains on the way back to the thread, starting with the one it wants, if it would sleep for itself;
    ///   it is then not entered, and the turn is withdrawn. Otherwise nil.
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

    /// Lends the right to drain to the thread that waits for its turn; returns false if the turn was withdrawn.
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
    func decline(_ turn: Turn) { entries.withLock { _ in turn.isOpen = false } }

    /// Returns the right to the thread that lent it.
    func giveBack(_ turn: Turn) {
        entries.withLock { entries in
            entries.waits[turn.lender] = nil
            turn.drain.owner.store(turn.lender, ordering: .sequentiallyConsistent)
        }
    }

    /// Returns the drains on the way from a wanted drain to a thread; nil if the way ends elsewhere.
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
