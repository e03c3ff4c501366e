// SPDX-License-Identifier: Apache-2.0

/// Something that keeps elements: a database, a file, a service.
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
/// `save`, `delete` and `request` are required. They are called from tasks, never in the drain; what blocks belongs on a
/// thread of its own. The middleware asks for one change, or one batch of changes, at a time, in the order of the
/// actions, and asks for a request when the changes that were dispatched before it are done. A change that has begun is
/// not cancelled.
public protocol PersistenceController<Element, PersistenceError, Request>: Sendable {
    /// The type of what is stored.
    associatedtype Element: Sendable
    /// Why something cannot be done.
    associatedtype PersistenceError: Error
    /// The type that says which elements are wanted.
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

    /// Removes an element; one that is not stored is a success.
    func delete(_ element: Element) async throws(PersistenceError)

    /// The elements that are asked for, then each change to them.
    ///
    /// Begins with `.elements`. A difference that does not fit what was told before, or is nil, makes the middleware ask
    /// once more from the beginning. The sequence ends when there is nothing more to tell or its task is cancelled.
    func request(_ request: Request) -> Results

    /// How many changes `perform` takes at once: 1 unless implemented, otherwise at least that.
    ///
    /// For controllers for which many changes at once cost less than each alone. The results are told together, so the
    /// limit bounds how long the first waits for the last.
    var batchLimit: Int { get }

    /// Makes several changes, in order; by default one after the other.
    ///
    /// - Returns: an entry for each change, in the same order: nil for one that was made, otherwise why it was not.
    func perform(_ changes: [PersistenceChange<Element>]) async -> [PersistenceError?]
}

extension PersistenceController {
    /// One change at a time.
    public var batchLimit: Int { 1 }

    /// Makes the changes one after the other; one that fails does not keep the next from being tried.
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
    /// A middleware that does what the actions ask for and answers each with the source of the one that asked.
    ///
    /// Saves and deletes hold a run open until they are done, also one that is asked to end, a request until its first answer; from then on it watches in
    /// the background. Changes that wait are made even when the middleware goes or its effects are cancelled; nobody hears
    /// about them then.
    ///
    /// The state is read only to notice that a difference did not fit, in which case the request is made again; a lift may
    /// map it to `.initial` where no such state is kept.
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

    /// A reducer that follows the actions of the application and of the middleware.
    public static func makeReducer() -> Reducer<Action, State> {
        .reducing { action, state in state.apply(action) }
    }
}
