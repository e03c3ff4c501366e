// SPDX-License-Identifier: Apache-2.0

/// A store of elements: a database, a file, a service.
///
/// `makeMiddleware()` and `makeReducer()` make the rest of it, so that an application writes
///
/// ```swift
/// let controller = ShelfController<Song>(name: "MusicDB")
/// let middleware = controller.makeMiddleware()
/// let reducer = ShelfController<Song>.makeReducer()
/// ```
///
/// ## Implementing this protocol
/// `save`, `delete` and `request` are required. They are called from tasks, never in the drain; blocking work belongs on its
/// own thread. The middleware asks for one change, or one batch of changes, at a time, in the order of the actions. It makes a
/// request when the changes dispatched before it are done. A change that has begun is not cancelled.
public protocol PersistenceController<Element, PersistenceError, Request>: Sendable {
    /// The type of the stored elements.
    associatedtype Element: Sendable
    /// The reason for a failure.
    associatedtype PersistenceError: Error
    /// The type that selects the wanted elements.
    associatedtype Request: Sendable
    /// The answers of a live request.
    associatedtype Results: AsyncSequence
    where Results.Element == PersistenceFetchResult<Element>, Results.Failure == PersistenceError

    /// The actions of this controller.
    typealias Action = PersistenceAction<Element, PersistenceError, Request>
    /// The state of this controller.
    typealias State = PersistenceState<Element, PersistenceError, Request>

    /// Stores an element; returns when it is safe.
    func save(_ element: Element) async throws(PersistenceError)

    /// Removes an element; an element that is not stored counts as success.
    func delete(_ element: Element) async throws(PersistenceError)

    /// Returns the requested elements, then each change to them.
    ///
    /// Begins with `.elements`. After a difference that does not fit the previous answers, or is nil, the middleware calls once
    /// more from the beginning. The sequence ends when there are no more answers or its task is cancelled.
    func request(_ request: Request) -> Results

    /// The number of changes that `perform` takes at once: by default 1, and never less.
    ///
    /// For controllers where many changes at once cost less than each alone. Their results are reported together, so the limit
    /// bounds how long the first waits for the last.
    var batchLimit: Int { get }

    /// Makes several changes, in order; by default one after the other.
    ///
    /// - Returns: an entry for each change, in the same order: nil if it was made, otherwise the error.
    func perform(_ changes: [PersistenceChange<Element>]) async -> [PersistenceError?]
}

extension PersistenceController {
    /// Takes one change at a time.
    public var batchLimit: Int { 1 }

    /// Makes the changes one after the other, continuing after one that fails.
    public func perform(_ changes: [PersistenceChange<Element>]) async -> [PersistenceError?] {
        var outcomes: [PersistenceError?] = []
        for change in changes {
            do throws(PersistenceError) {
                switch change {
                case .save(let element): try await save(element)
                case .delete(let element): try await delete(element)
                }
                outcomes.append(nil)
            } catch {
                outcomes.append(error)
            }
        }
        return outcomes
    }
}

extension PersistenceController {
    /// Returns a middleware that carries out the actions' requests and answers each with the source of its action.
    ///
    /// Saves and deletes hold a run open until they are done, also one that is asked to end. A request does so until its first
    /// answer; from then on it watches in the background. Waiting changes are made even if the middleware is released or its
    /// effects are cancelled, but are then not reported.
    ///
    /// The state is read only to notice that a difference did not fit, in which case the request is made again; a lift may map
    /// it to `.initial` if no such state is kept.
    public func makeMiddleware() -> AnyMiddleware<Action, Action, State> {
        let queue = PersistenceQueue(self)
        return AnyMiddleware(
            EffectMiddleware<Action, Action, State, Void>(dependencies: ()) { action, state, context in
                switch action {
                case .save(let element): queue.effect(of: .save(element))
                case .delete(let element): queue.effect(of: .delete(element))
                case .request(let request, let token): queue.effect(of: request, token)
                case .cancelRequest(let token): .cancel(LiveRequestToken(token: token))
                case .cancelAllRequests: .fireAndForget { $0.base.registry.cancelNamed() }
                case .received(.difference, let request, let token) where state().isLoading(token):
                    queue.effect(of: request, token)
                case .succeeded, .failed, .received, .requestFailed, .requestEnded: .doNothing
                }
            })
    }

    /// Returns a reducer that follows the actions of the application and of the middleware.
    public static func makeReducer() -> Reducer<Action, State> {
        .reducing { action, state in state.apply(action) }
    }
}
