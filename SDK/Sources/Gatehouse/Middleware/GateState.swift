// SPDX-License-Identifier: Apache-2.0

/// Whether a gate lets actions through.
@frozen
public enum GateState: String, Codable, Equatable, Hashable, Sendable {
    /// Open: the middleware takes part.
    case active
    /// Closed: actions bypass the middleware, and its outputs are dropped.
    case bypass

    /// Creates the state `active` for true, and `bypass` for false.
    @inlinable
    public init(active: Bool) { self = active ? .active : .bypass }
}
