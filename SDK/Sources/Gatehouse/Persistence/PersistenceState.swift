// SPDX-License-Identifier: Apache-2.0

/// An application's knowledge of its stored elements.
///
/// `persist` and `delete` reflect the last such action, `request` and `requests` the live requests.
public struct PersistenceState<Element, PersistenceError: Error, Request> {
    /// The request without token.
    public var request: RequestState
    /// The progress of the last save.
    public var persist: ProcessState
    /// The progress of the last delete.
    public var delete: ProcessState
    /// The requests with tokens; a cancelled one is forgotten, as tokens may be made up for a single use.
    public var requests: [String: RequestState]
    /// The tokens of the running requests; nil for the one without.
    public var live: Set<String?>

    /// The phase of a request.
    public enum RequestState {
        /// No request is known: none was made, or its token was cancelled.
        case initial
        /// Waiting for the elements.
        case loading
        /// The request has ended with an error.
        case failed(error: PersistenceError, request: Request)
        /// The elements: the current ones while the request is live, the last ones after its end.
        case received([Element])
        /// The request was cancelled.
        case canceled
    }

    /// The phase of the last change of a kind.
    public enum ProcessState {
        /// No change has been requested yet.
        case initial
        /// The change is in progress.
        case processing
        /// The change has failed; the element was not stored or removed.
        case failed(error: PersistenceError, element: Element)
        /// The change has been made.
        case succeeded
    }

    /// Creates a state with the given parts.
    public init(
        request: RequestState = .initial, persist: ProcessState = .initial, delete: ProcessState = .initial,
        requests: [String: RequestState] = [:], live: Set<String?> = []
    ) {
        self.request = request
        self.persist = persist
        self.delete = delete
        self.requests = requests
        self.live = live
    }

    /// The state before the first action.
    public static var initial: PersistenceState { PersistenceState() }

    /// The request with a token, or the one without; setting `initial` forgets one with a token.
    public subscript(token: String?) -> RequestState {
        get {
            guard let token else { return request }
            return requests[token] ?? .initial
        }
        set {
            guard let token else { return request = newValue }
            if case .initial = newValue { requests[token] = nil } else { requests[token] = newValue }
        }
    }
}

extension PersistenceState: Sendable where Element: Sendable, Request: Sendable {}
extension PersistenceState: Equatable
where Element: Equatable, PersistenceError: Equatable, Request: Equatable {}
extension PersistenceState: Codable
where Element: Codable, PersistenceError: Codable, Request: Codable {}
extension PersistenceState.RequestState: Sendable where Element: Sendable, Request: Sendable {}
extension PersistenceState.RequestState: Equatable
where Element: Equatable, PersistenceError: Equatable, Request: Equatable {}
extension PersistenceState.RequestState: Codable
where Element: Codable, PersistenceError: Codable, Request: Codable {}
extension PersistenceState.ProcessState: Sendable where Element: Sendable {}
extension PersistenceState.ProcessState: Equatable where Element: Equatable, PersistenceError: Equatable {}
extension PersistenceState.ProcessState: Codable where Element: Codable, PersistenceError: Codable {}
