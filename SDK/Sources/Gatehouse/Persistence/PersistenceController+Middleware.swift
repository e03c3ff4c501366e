// SPDX-License-Identifier: Apache-2.0

extension PersistenceController {
    /// A middleware that does what the actions ask for and answers each with the source of the one that asked.
    ///
    /// Saves and deletes hold a run open until they are done, a request until its first answer; from then on it watches in
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
