// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The answers of one run of a server to all connections of this process: whether there were always some.
///
/// Sentinels replace a server that is silent for long. One that was only paused resumes without knowing it, and while its replicas
/// have not heard of their new server they still confirm what it writes. So what it says after a silence counts only once Sentinels, asked
/// afterwards, name it still.
final class RedisPulse: Sendable {
    /// The answers so far.
    private struct State {
        /// The time of the last one.
        var last: ContinuousClock.Instant
        /// The number of silences; the time before the first answer is one.
        var silences = 1
        /// How many of them are known to have had no consequences.
        var cleared = 0
    }

    /// The longest time between two answers that is no silence.
    static let longestPause = Duration.seconds(1)
    /// The shortest time after which Sentinels may replace a silent server, so that a member has noticed the silence.
    static let shortestDeath = Duration.seconds(2)

    /// The guarded answers.
    private let state: Mutex<State>

    /// Creates the pulse of a server that has answered for the first time.
    init(at now: ContinuousClock.Instant = .now) { state = Mutex(State(last: now)) }

    /// Records an answer.
    func beat(at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            if state.last.duration(to: now) > Self.longestPause { state.silences += 1 }
            state.last = max(state.last, now)
        }
    }

    /// The number of silences, if the last of them may have had consequences; to be passed to ``clear(_:)``.
    var doubt: Int? { state.withLock { $0.cleared < $0.silences ? $0.silences : nil } }

    /// Records that the server had not been replaced after so many silences.
    func clear(_ silences: Int) { state.withLock { $0.cleared = max($0.cleared, silences) } }
}
