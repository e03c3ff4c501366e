// SPDX-License-Identifier: Apache-2.0

/// A halt, as stored in place of the shape from the moment in which a member finds that Redis has lost what it had confirmed, until
/// an operator lifts it, such as `64/2!1795318121 host-a: …`.
///
/// So no member joins, renews its lease or appends anything, whatever its version.
struct RedisHalt {
    /// The shape of the halted cluster.
    let shape: RedisShape
    /// When it was halted, in seconds since 1970, by the clock of the member.
    let time: Int
    /// The member that found it, and what was lost.
    let reason: String

    /// Creates a halt.
    init(_ shape: RedisShape, at time: Int, _ reason: String) {
        (self.shape, self.time, self.reason) = (shape, time, reason)
    }

    /// Reads a halt; nil for anything else.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "!", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let shape = RedisShape(parts[0]) else { return nil }
        let words = parts[1].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard words.count == 2, let time = Int(words[0]) else { return nil }
        self.init(shape, at: time, String(words[1]))
    }

    /// The stored form.
    var text: String { "\(shape.text)!\(time) \(reason)" }
}
