// SPDX-License-Identifier: Apache-2.0

/// The offset of wall clocks from Greenwich, at each moment: one time zone of the IANA database.
struct TimeZoneRules: Sendable {
    /// The moments at which the offset changed, in seconds since 1970, in order.
    let transitions: [Int64]
    /// The offset from each of these moments on, in seconds to the east.
    let offsets: [Int]
    /// The offset before the first of them.
    let first: Int
    /// The yearly changes after the last of them; nil if the last offset stays.
    let yearly: YearlyRule?

    /// Coordinated universal time.
    static let utc = TimeZoneRules(transitions: [], offsets: [], first: 0, yearly: nil)

    /// Returns how far clocks are ahead of Greenwich at a moment, in seconds.
    func offset(at moment: Int64) -> Int {
        guard let last = transitions.last, moment < last else {
            return yearly?.offset(at: moment) ?? offsets.last ?? first
        }
        // Find the number of transitions at or before the moment.
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= moment { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? first : offsets[low - 1]
    }

    /// Returns the wall time at a moment.
    func wall(at moment: Int64) -> Int64 { moment + Int64(offset(at: moment)) }

    /// Returns the moment of a wall time.
    ///
    /// For a time that clocks show twice it is the first; for one that they skip, the moment at which they do.
    func moment(of wall: Int64) -> Int64 {
        let (early, late) = (wall - CivilTime.day, wall + CivilTime.day)
        let before = offset(at: early)
        let after = offset(at: late)
        for offset in before >= after ? [before, after] : [after, before] {
            let moment = wall - Int64(offset)
            if self.offset(at: moment) == offset { return moment }
        }
        // The clocks are put forward over it between the two: search for that moment.
        var (low, high) = (early, late)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(at: middle) == before { low = middle } else { high = middle }
        }
        return high
    }
}
