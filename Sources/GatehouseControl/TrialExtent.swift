// SPDX-License-Identifier: Apache-2.0

/// The part of the past that a trial goes over.
package struct TrialExtent: Codable, Equatable, Sendable {
    /// The first action; nil for the first that is kept.
    package var from: UInt64?
    /// The last action; nil for the last there is when it begins.
    package var to: UInt64?
    /// The most actions up to there; nil for all.
    package var last: UInt64?
    /// The moment since which actions were recorded, in seconds since 1970; nil for any.
    package var since: Double?

    /// A part between bounds; everything without them.
    package init(from: UInt64? = nil, to: UInt64? = nil, last: UInt64? = nil, since: Double? = nil) {
        (self.from, self.to, self.last, self.since) = (from, to, last, since)
    }
}
