// SPDX-License-Identifier: Apache-2.0

/// The numbers that a journal gives: of batches, actions, inputs, effects, openings, snapshots, generations, dead letters.
///
/// They count from 1 and never get far. What stands in a file may be anything: numbers that no host gave are taken for the nearest that
/// one could have given, so that no sum of them overflows, and the checksum of the row tells that they were not.
package enum JournalNumbers {
    /// The greatest number: a million actions a second reach it after 285 years.
    package static let limit: UInt64 = 1 << 53

    /// A number of a row as one that a host could have given; 0 for a negative one.
    static func clamped(_ number: Int64) -> UInt64 { UInt64(clamping: max(0, min(number, Int64(limit)))) }

    /// A point in time as one that a clock could have shown, in seconds since 1970.
    static func clamped(_ time: Double) -> Double { time.isFinite ? max(-1e11, min(time, 1e11)) : 0 }
}
