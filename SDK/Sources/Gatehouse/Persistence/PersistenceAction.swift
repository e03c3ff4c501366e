// SPDX-License-Identifier: Apache-2.0

/// Requests to a store of elements, and its answers.
///
/// The first five cases are for the application. The middleware of a `PersistenceController` emits the others, each with
/// the source of the action that it answers.
///
/// A request is live: it is answered by all elements, then by each change, until it is cancelled. Requests with different
/// tokens run side by side; a request replaces the one with the same token, and there is one without.
public enum PersistenceAction<Element, PersistenceError: Error, Request> {
    /// Asks to store the element.
    case save(Element)
    /// Asks to remove the element.
    case delete(Element)
    /// Starts a live request.
    case request(Request, token: String? = nil)
    /// Ends the live request with this token; does nothing if there is none.
    case cancelRequest(token: String?)
    /// Ends all live requests.
    case cancelAllRequests

    /// A change was made; reported once.
    case succeeded(PersistenceChange<Element>)
    /// A change could not be made; reported once.
    case failed(PersistenceError, PersistenceChange<Element>)
    /// A live request has an answer.
    case received(PersistenceFetchResult<Element>, Request, token: String? = nil)
    /// A request could not be served, and has ended.
    case requestFailed(PersistenceError, Request, token: String? = nil)
    /// A request has ended by itself: the controller has no more answers.
    case requestEnded(Request, token: String? = nil)

    /// Ends the live request without token.
    public static var cancelRequest: PersistenceAction { .cancelRequest(token: nil) }
}

extension PersistenceAction: Sendable where Element: Sendable, Request: Sendable {}
extension PersistenceAction: Equatable
where Element: Equatable, PersistenceError: Equatable, Request: Equatable {}
extension PersistenceAction: Hashable
where Element: Hashable, PersistenceError: Hashable, Request: Hashable {}
extension PersistenceAction: Codable
where Element: Codable, PersistenceError: Codable, Request: Codable {}

/// The saving or removal of one element.
public enum PersistenceChange<Element> {
    /// Stores the element, in place of the one with the same identity.
    case save(Element)
    /// Removes the element; an element that is not stored counts as success.
    case delete(Element)

    /// The stored or removed element.
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

/// One answer of a live request: all elements, or the changes since the previous answer.
public enum PersistenceFetchResult<Element> {
    /// All elements, in order.
    case elements([Element])
    /// The difference from the previous elements; nil if something changed and the difference is not known.
    case difference(CollectionDifference<Element>?)
}

extension PersistenceFetchResult: Sendable where Element: Sendable {}
extension PersistenceFetchResult: Equatable where Element: Equatable {}
extension PersistenceFetchResult: Hashable where Element: Hashable {}
extension PersistenceFetchResult: Codable where Element: Codable {}
