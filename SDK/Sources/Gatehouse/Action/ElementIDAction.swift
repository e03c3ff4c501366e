// SPDX-License-Identifier: Apache-2.0

/// An action for the element of a collection that has this id.
public struct ElementIDAction<ID: Hashable, Action> {
    /// The identity of the element that the action is for.
    public let id: ID
    /// What the element is told.
    public let action: Action

    /// An action for one element.
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
