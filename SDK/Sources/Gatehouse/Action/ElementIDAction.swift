// SPDX-License-Identifier: Apache-2.0

/// An action for the element of a collection with this id.
public struct ElementIDAction<ID: Hashable, Action> {
    /// The id of the element.
    public let id: ID
    /// The element's own action.
    public let action: Action

    /// Creates an action for one element.
    @inlinable
    public init(id: ID, action: Action) {
        self.id = id
        self.action = action
    }
}

extension ElementIDAction: Identifiable {}
extension ElementIDAction: Sendable where ID: Sendable, Action: Sendable {}
extension ElementIDAction: Equatable where Action: Equatable {}
extension ElementIDAction: Hashable where Action: Hashable {}
extension ElementIDAction: Encodable where ID: Encodable, Action: Encodable {}
extension ElementIDAction: Decodable where ID: Decodable, Action: Decodable {}
