// SPDX-License-Identifier: Apache-2.0

/// The terms of trying a reload on the past first.
package struct HistoryTrial: Equatable, Sendable {
    /// The most actions that may be requested.
    static let most = 100_000

    /// How many of the newest recorded actions to replay.
    package let count: Int
    /// Whether a difference refuses the reload; otherwise only the death of the child does.
    package let isStrict: Bool
}
