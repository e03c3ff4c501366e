// SPDX-License-Identifier: Apache-2.0

extension PersistenceState {
    /// Applies an action.
    ///
    /// Answers to a cancelled request come too late and change nothing. After a difference that does not fit the current
    /// elements, the request waits for them again.
    mutating func apply(_ action: PersistenceAction<Element, PersistenceError, Request>) -> StateChange {
        switch action {
        case .save: persist = .processing
        case .delete: delete = .processing
        case .succeeded(.save): persist = .succeeded
        case .succeeded(.delete): delete = .succeeded
        case .failed(let error, .save(let element)): persist = .failed(error: error, element: element)
        case .failed(let error, .delete(let element)): delete = .failed(error: error, element: element)
        case .request(_, let token):
            live.insert(token)
            self[token] = .loading
        case .cancelRequest(let token): return cancel(token)
        case .cancelAllRequests:
            return live.reduce(.unchanged) { change, token in change | cancel(token) }
        case .received(let result, _, let token):
            guard live.contains(token) else { return .unchanged }
            receive(result, token)
        case .requestFailed(let error, let request, let token):
            guard live.remove(token) != nil else { return .unchanged }
            self[token] = .failed(error: error, request: request)
        case .requestEnded(_, let token):
            guard live.remove(token) != nil else { return .unchanged }
            if case .loading = self[token] { self[token] = .received([]) }
        }
        return .changed
    }

    /// Returns whether a request runs and still waits for its elements.
    func isLoading(_ token: String?) -> Bool {
        guard live.contains(token), case .loading = self[token] else { return false }
        return true
    }

    /// Ends the request with this token, or the one without a token.
    private mutating func cancel(_ token: String?) -> StateChange {
        guard live.remove(token) != nil else { return .unchanged }
        self[token] = token == nil ? .canceled : .initial
        return .changed
    }

    /// Applies an answer of a live request.
    private mutating func receive(_ result: PersistenceFetchResult<Element>, _ token: String?) {
        switch result {
        case .elements(let elements): self[token] = .received(elements)
        case .difference(let difference):
            var elements: [Element] = []
            if case .received(let before) = self[token] { elements = before }
            let after = difference.flatMap { elements.applying($0) }
            self[token] = after.map { .received($0) } ?? .loading
        }
    }
}
