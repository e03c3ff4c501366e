// SPDX-License-Identifier: Apache-2.0

/// Serves one live request from its start to its end.
///
/// It guarantees the receiver that elements come first and that each difference fits the previous answers, whatever the
/// controller does.
struct LiveRequest<Controller: PersistenceController>: Sendable {
    /// The controller that answers the request.
    let controller: Controller
    /// The request that is served.
    let request: Controller.Request
    /// The request's token; nil for the request without one.
    let token: String?
    /// The source of the action that made the request.
    let source: ActionSource
    /// The output that takes the answers as actions.
    let output: EffectOutput<Controller.Action>

    /// The outcome of one call of the controller.
    private enum Outcome {
        /// The controller's sequence ended, or the effect was cancelled.
        case ended
        /// An answer does not fit; the flag says whether an earlier one did.
        case lost(afterProgress: Bool)
        /// The request ended with an error of the controller.
        case failed(Controller.PersistenceError)
    }

    /// Calls the controller until the request ends, then ends the effect.
    ///
    /// After an answer that did not fit, the controller must give one that does; otherwise the request is cancelled, to
    /// avoid an endless loop.
    func serve() async {
        var isSecondAttempt = false
        serving: while !output.isCancelled {
            switch await ask() {
            case .ended:
                send(.requestEnded(request, token: token))
                break serving
            case .failed(let error):
                send(.requestFailed(error, request, token: token))
                break serving
            case .lost(afterProgress: false) where isSecondAttempt:
                send(.cancelRequest(token: token))
                break serving
            case .lost:
                isSecondAttempt = true
            }
        }
        output.finish()
    }

    /// Calls the controller once, and passes on its answers.
    private func ask() async -> Outcome {
        /// The number of the receiver's elements; nil before the first answer.
        var count: Int?
        do throws(Controller.PersistenceError) {
            for try await result in controller.request(request) {
                if output.isCancelled { return .ended }
                switch result {
                case .elements(let elements):
                    count = elements.count
                    send(.received(result, request, token: token))
                case .difference(let difference):
                    guard let difference, let after = difference.count(after: count ?? 0) else {
                        return .lost(afterProgress: count != nil)
                    }
                    let answer = count == nil ? Self.elements(difference) : result
                    count = after
                    send(.received(answer, request, token: token))
                }
                output.continueInBackground()
            }
        } catch {
            return .failed(error)
        }
        return .ended
    }

    /// Returns a first answer given as a difference from nothing.
    private static func elements(
        _ difference: CollectionDifference<Controller.Element>
    ) -> PersistenceFetchResult<Controller.Element> {
        [].applying(difference).map { .elements($0) } ?? .difference(difference)
    }

    /// Emits on behalf of the requester.
    private func send(_ action: Controller.Action) {
        output.send(DispatchedAction(action, dispatcher: source))
    }
}

/// Names the effect of a live request.
struct LiveRequestToken: Hashable, Sendable {
    /// The token in the action; nil for the request without one.
    let token: String?
}

extension CollectionDifference {
    /// Returns the number of elements after applying this to a collection of `count`; nil if it does not apply.
    ///
    /// Whether it applies depends on the offsets alone, which are distinct among removals and among insertions. Constant
    /// time, as both are sorted by offset.
    func count(after count: Int) -> Int? {
        let result = count - removals.count + insertions.count
        guard Self.offset(removals.last) < count, Self.offset(insertions.last) < result else { return nil }
        return result
    }

    /// The offset of a change; -1 for none.
    private static func offset(_ change: Change?) -> Int {
        switch change {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        case nil: -1
        }
    }
}
