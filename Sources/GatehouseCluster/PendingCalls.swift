// SPDX-License-Identifier: Apache-2.0

/// A member's unanswered calls to the engine, on the member's own clock.
struct PendingCalls {
    /// When each call was made, by number.
    private var times: [Int: Duration] = [:]
    /// The number of the last call.
    private var last = 0

    /// Starts a call; returns its unique number.
    mutating func begin(at now: Duration) -> Int {
        last += 1
        times[last] = now
        return last
    }

    /// Ends a call, with or without an answer; returns when it was made, nil when it had ended before.
    @discardableResult
    mutating func end(_ call: Int) -> Duration? { times.removeValue(forKey: call) }

    /// Returns the calls made at a time or before.
    func made(by time: Duration) -> [Int] { times.filter { $0.value <= time }.map(\.key) }

    /// When the oldest was made; nil for none.
    var oldest: Duration? { times.values.min() }
}
