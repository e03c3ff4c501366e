// SPDX-License-Identifier: Apache-2.0

/// The calls of a member to the engine that were made and not answered, on the member's own clock.
struct PendingCalls {
    /// When each was made, by its number.
    private var times: [Int: Duration] = [:]
    /// The number of the last one.
    private var last = 0

    /// Makes one; gives its number, which no other one has.
    mutating func begin(at now: Duration) -> Int {
        last += 1
        times[last] = now
        return last
    }

    /// Ends one, with an answer or without; gives when it was made, and nil when it had ended before.
    @discardableResult
    mutating func end(_ call: Int) -> Duration? { times.removeValue(forKey: call) }

    /// Ends all of them.
    mutating func removeAll() { times = [:] }

    /// Those that were made at a time or before.
    func made(by time: Duration) -> [Int] { times.filter { $0.value <= time }.map(\.key) }

    /// When the oldest was made; nil for none.
    var oldest: Duration? { times.values.min() }
}
