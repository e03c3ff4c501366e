// SPDX-License-Identifier: Apache-2.0

/// One element to be stored or removed.
public enum PersistenceChange<Element> {
    /// Stores the element, in place of the one with the same identity.
    case save(Element)
    /// Removes the element; one that is not stored is a success.
    case delete(Element)

    /// What is stored or removed.
    public var element: Element {
        switch self {
        case .save(let element), .delete(let element): element
        }
    }
}

extension PersistenceChange: Sendable where Element: Sendable {}
extension PersistenceChange: Equatable where Element: Equatable {}
extension PersistenceChange: Hashable where Element: Hashable {}
extension PersistenceChange: Codable where Element: Codable {}
