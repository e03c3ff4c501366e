// SPDX-License-Identifier: Apache-2.0

/// A use of the library that its documentation forbids and that does no harm but is surely a mistake.
public enum Misuse: Error, Sendable, Equatable {
    /// A reducer dispatched an action; the action was queued behind the one in work.
    case dispatchFromReducer(dispatcher: ActionSource)
    /// The callback of a promise was called again; the answer was dropped.
    case secondAnswer(dispatcher: ActionSource)
}

extension Misuse: CustomStringConvertible {
    /// One sentence: where, what was expected, what was found, what to do.
    public var description: String {
        switch self {
        case .dispatchFromReducer(let source):
            "\(source.place): expected a reducer to dispatch nothing, found an action, which was queued; "
                + "dispatch it from a middleware or an observer"
        case .secondAnswer(let source):
            "\(source.place): expected a promise to be answered once, found another answer, which was dropped; "
                + "use Effect.run for work that emits several actions"
        }
    }
}
