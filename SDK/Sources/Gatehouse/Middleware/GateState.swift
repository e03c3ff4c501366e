// SPDX-License-Identifier: Apache-2.0

/// Whether a gate lets actions through.
@frozen
public enum GateState: String, Codable, Equatable, Hashable, Sendable {
    /// Open: the middleware takes part.
    case active
    /// Closed: actions pass it by, and its outputs are dropped.
    case bypass

    /// The state of a gate that is active for true, and in bypass for false.
    @inlinable
    public init(active: Bool) {
        self = active ? .active : .bypass
    }
}
