// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// The pause between two attempts: a random part of a time that doubles, so that many clients do not return together.
struct RetryPause {
    /// The longest pause after the first attempt, in seconds.
    let first: Double
    /// The limit of doubling, in seconds.
    let maximum: Double
    /// The position in the sequence of random numbers.
    private var random: UInt64

    /// The longest time that a service may ask for, in seconds.
    static let longestRequest = 3_600.0

    /// Creates the pauses of one request; the same key gives the same ones.
    init(first: Double, maximum: Double, key: String) {
        self.first = first
        self.maximum = maximum
        // FNV-1a, because the hash of the standard library differs from run to run.
        random = key.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// Returns the pause after an attempt, counted from 1, in seconds.
    ///
    /// - Parameter requested: the service's own request, which is waited in full and first.
    mutating func pause(after attempt: Int, requested: Double = 0) -> Double {
        let longest = min(first * Double(UInt64(1) << min(UInt64(attempt - 1), 40)), maximum)
        return requested + longest * next()
    }

    /// Returns the next random number from 0 to 1, by SplitMix64.
    private mutating func next() -> Double {
        random &+= 0x9e37_79b9_7f4a_7c15
        var mixed = random
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
    }

    /// Returns the wait in a header `Retry-After`, in seconds, from a number or a date; nil for anything else.
    static func requested(by header: String?, at unixTime: Double) -> Double? {
        guard let header else { return nil }
        if let seconds = UInt32(header) { return Double(seconds) }
        let time = unsafe curl_getdate(header, nil)
        return time < 0 ? nil : max(0, Double(time) - unixTime)
    }
}
