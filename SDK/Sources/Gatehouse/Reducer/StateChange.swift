// SPDX-License-Identifier: Apache-2.0

/// What a reducer did to the state.
@frozen
public enum StateChange: Sendable, Hashable {
    /// The state is as it was; observers are not told.
    case unchanged
    /// The state may differ; observers are told.
    case changed

    /// Changed if either was.
    @inlinable
    public static func | (lhs: StateChange, rhs: StateChange) -> StateChange {
        lhs == .changed || rhs == .changed ? .changed : .unchanged
    }
}
