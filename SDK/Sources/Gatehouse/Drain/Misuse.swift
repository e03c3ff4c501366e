// SPDX-License-Identifier: Apache-2.0

/// A use that the library's documentation forbids: harmless, but surely a mistake.
public enum Misuse: Error, Sendable, Equatable {
    /// A reducer dispatched an action; the action was queued after the current one.
    case dispatchFromReducer(dispatcher: ActionSource)
    /// The callback of a promise was called again; the answer was dropped.
    case secondAnswer(dispatcher: ActionSource)
    /// Each of these stores, while processing an action, waited for the state of the next one.
    ///
    /// Reported once, by the store that was read.
    case circularRead(of: [String])
    /// A middleware has as many effects running as allowed, and this action led to another.
    ///
    /// A background effect was not started. Any other waits until one ends; that is reported once for each middleware.
    case tooManyEffects(limit: Int, dispatcher: ActionSource, isBackground: Bool)
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
        case .tooManyEffects(let limit, let source, true):
            "\(source.place): expected at most \(limit) effects of one middleware in the background, found another, which "
                + "was not started; cancel those that are not needed any more"
        case .tooManyEffects(let limit, let source, false):
            "\(source.place): expected at most \(limit) effects of one middleware running, found more, which wait until "
                + "others end; start fewer at once, or put those without an end into the background"
        case .circularRead(let stores):
            "\(stores.joined(separator: " and ")): expected stores not to read each other's state inside an action, found "
                + "that each waits for the other; \(stores.first ?? "one") was read as it was in the middle of its action, so "
                + "let one of them send its state in an action instead"
        }
    }
}

/// Traps because of a use that the documentation forbids and that cannot continue; prints the reason in release builds too,
/// where a failed `precondition` is silent.
@inline(never) @usableFromInline
package func trap(_ problem: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    fatalError(problem, file: file, line: line)
}
