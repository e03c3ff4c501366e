// SPDX-License-Identifier: Apache-2.0

/// The processor of a queue: takes one element after the other through its whole pass, in the drain.
///
/// A *pass* is the processing of one element. The body begins and finishes it; all state of the current element lives in
/// the pass. The queue knows nothing of actions or states: it gives the body its turn, in order, within the limits.
public protocol DrainBody: AnyObject {
    /// The type of the waiting elements.
    associatedtype Element: Sendable

    /// Processes an element completely; outputs made on this thread wait at the end of the queue.
    func process(_ element: Element)

    /// Whether a reducer is changing the state at this moment.
    var isReducing: Bool { get }

    /// Called before an element that arrived while `isReducing` is queued.
    func noticeDispatchInReducer(_ element: Element)

    /// The name of such bodies in messages; by default that of the type.
    static var name: String { get }
}

extension DrainBody {
    public static var name: String { "\(Self.self)" }
}
