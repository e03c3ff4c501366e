// SPDX-License-Identifier: Apache-2.0

private import Dispatch
private import Synchronization

/// What waits for the writer's thread, in order. Callable from any thread.
package final class JournalQueue: Sendable {
    /// Something to be written.
    enum Work: Sendable {
        /// What the drain handed over, and who wants to know when it is on the disk.
        case batch(JournalBatch, (@Sendable (JournalFailure?) -> Void)?)
        /// Something else that belongs after what waits, and who wants to know when it is on the disk.
        case other(
            @Sendable (JournalCommitter) throws(JournalFailure) -> Void,
            (@Sendable (JournalFailure?) -> Void)?)

        /// Who wants to know when it is on the disk.
        var onCommit: (@Sendable (JournalFailure?) -> Void)? {
            switch self {
            case .batch(_, let onCommit), .other(_, let onCommit): onCommit
            }
        }
    }

    /// What the lock guards.
    private struct State {
        /// What waits.
        var works: [Work] = []
        /// How many inputs and actions wait.
        var count = 0
        /// Since when something waits.
        var since: ContinuousClock.Instant?
        /// Whether somebody sleeps until it is written.
        var isUrgent = false
        /// Whether nothing more will come.
        var isClosing = false
        /// How many bring something in pieces, for which the end waits.
        var holders = 0
        /// Whether the writer's thread sleeps.
        var isAsleep = false
        /// How many threads sleep for room.
        var sleepers = 0
        /// Why nothing is written any more.
        var failure: JournalFailure?
    }

    /// What the writer's thread does next.
    enum Step {
        /// It writes these.
        case write([Work])
        /// It sleeps until something comes, at most so long; nil for as long as that takes.
        case sleep(atMost: Duration?)
        /// It ends.
        case end
    }

    /// How many actions are written at once without waiting for more.
    static let closing = 1_024
    /// How many inputs and actions may wait before those who bring more sleep: a few commits' worth, whose memory goes round.
    static let room = 1 << 16
    /// How long the writer's thread waits for more in relaxed mode.
    static let gathering = Duration.milliseconds(10)

    /// Whether everything is written as soon as the thread is free.
    private let isStrict: Bool
    /// The time by which the writer's thread waits.
    private let clock: @Sendable () -> ContinuousClock.Instant
    /// What waits.
    private let state = Mutex(State())
    /// The writer's thread sleeps on it.
    private let work = DispatchSemaphore(value: 0)
    /// Threads that bring too much sleep on it.
    private let room = DispatchSemaphore(value: 0)

    /// A queue in which nothing waits.
    init(isStrict: Bool, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.isStrict = isStrict
        self.clock = clock
    }

    /// Why nothing is written any more; nil while all is well.
    var failure: JournalFailure? { state.withLock { $0.failure } }

    /// Puts something after all that waits; sleeps first while too much does, unless it is the writer's thread itself that comes.
    ///
    /// - Parameters:
    ///   - isUrgent: whether somebody sleeps until it is written.
    ///   - isHeld: whether who brings it has called `hold`.
    /// - Returns: false after the end: nobody will take it.
    func put(_ new: consuming Work, count: Int, isUrgent: Bool = false, isHeld: Bool = false) -> Bool {
        var waiting: Work? = consume new
        while true {
            var isAccepted = true
            var isFull = false
            var wakes = false
            state.withLock { state in
                if state.isClosing && !isHeld {
                    isAccepted = false
                    return
                }
                if state.count >= Self.room, count > 0 {
                    state.sleepers += 1
                    isFull = true
                    return
                }
                if let new = waiting.take() { state.works.append(new) }
                let isFirst = state.since == nil
                if isFirst { state.since = clock() }
                state.count += count
                if isUrgent { state.isUrgent = true }
                // In relaxed mode it sleeps on until its time has come, or there is enough.
                wakes = state.isAsleep && (isFirst || isUrgent || state.count >= Self.closing)
                if wakes { state.isAsleep = false }
            }
            if wakes { work.signal() }
            if !isFull { return isAccepted }
            room.wait()
        }
    }

    /// Takes all that waits, and sleeps until there is something; nil after the end. Called by the writer's thread.
    func take() -> [Work]? {
        while true {
            switch nextStep() {
            case .write(let all):
                wakeSleepers()
                return all
            case .end: return nil
            case .sleep(let limit): sleep(atMost: limit)
            }
        }
    }

    /// Sleeps until something comes, at most so long.
    private func sleep(atMost limit: Duration?) {
        let end = limit.map { DispatchTime.now() + .nanoseconds(Int($0 / .nanoseconds(1))) }
        _ = work.wait(timeout: end ?? .distantFuture)
    }

    /// What the writer's thread does next. Called by that thread alone, which does so.
    func nextStep() -> Step {
        state.withLock { state in
            guard let since = state.since else {
                if state.isClosing, state.holders == 0 { return .end }
                state.isAsleep = true
                return .sleep(atMost: nil)
            }
            let left = since + Self.gathering - clock()
            guard
                isStrict || state.isUrgent || state.isClosing || state.count >= Self.closing || left <= .zero
            else {
                state.isAsleep = true
                return .sleep(atMost: left)
            }
            let works = state.works
            state.works = []
            state.works.reserveCapacity(works.count)
            state.count = 0
            state.since = nil
            state.isUrgent = false
            return .write(works)
        }
    }

    /// Lets those go on who sleep for room.
    private func wakeSleepers() {
        let sleepers = state.withLock { state in
            defer { state.sleepers = 0 }
            return state.sleepers
        }
        for _ in 0..<sleepers { room.signal() }
    }

    /// Keeps the first reason for which nothing is written any more; true for that one.
    func fail(_ failure: JournalFailure) -> Bool {
        state.withLock { state in
            guard state.failure == nil else { return false }
            state.failure = failure
            return true
        }
    }

    /// Lets the end wait for something that is brought in pieces; false after the end.
    func hold() -> Bool {
        state.withLock { state in
            guard !state.isClosing else { return false }
            state.holders += 1
            return true
        }
    }

    /// Takes `hold` back.
    func release() {
        let wakes = state.withLock { state in
            state.holders -= 1
            return state.isClosing && state.isAsleep
        }
        if wakes { work.signal() }
    }

    /// Takes nothing more, and lets the writer's thread end when it has written what waits.
    func close() {
        let isAsleep = state.withLock { state in
            state.isClosing = true
            return state.isAsleep
        }
        if isAsleep { work.signal() }
    }
}
