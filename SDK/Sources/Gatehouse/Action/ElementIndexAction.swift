// SPDX-License-Identifier: Apache-2.0

/// An action for the element of a collection at this index.
public struct ElementIndexAction<Index: Comparable, Action> {
    /// The index of the element.
    public let index: Index
    /// The element's own action.
    public let action: Action

    /// Creates an action for one element.
    @inlinable
    public init(index: Index, action: Action) {
        self.index = index
        self.action = action
    }
}

extension ElementIndexAction: Sendable where Index: Sendable, Action: Sendable {}
extension ElementIndexAction: Equatable where Action: Equatable {}
extension ElementIndexAction: Hashable where Index: Hashable, Action: Hashable {}
extension ElementIndexAction: Encodable where Index: Encodable, Action: Encodable {}
extension ElementIndexAction: Decodable where Index: Decodable, Action: Decodable {}
