// SPDX-License-Identifier: Apache-2.0

/// What an instance has done so far.
public struct InstanceCounts: Equatable, Sendable {
    /// Actions given to its reducer.
    public var reduced = 0
    /// Outputs that were let out.
    public var emitted = 0
    /// Outputs that it may not emit.
    public var refused = 0

    /// Nothing yet.
    public init() {}
}
