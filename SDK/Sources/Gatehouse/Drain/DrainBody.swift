// SPDX-License-Identifier: Apache-2.0

/// What a queue runs: takes one element after the other all its way, in the drain.
///
/// The way of one element is a *pass*. The body makes it and finishes it; whatever belongs to the element in hand lives in
/// the pass. The queue knows nothing of actions or states: it gives the body its turn, in order, within the limits.
public protocol DrainBody: AnyObject {
    /// What waits in the queue.
    associatedtype Element: Sendable

    /// Takes an element all its way; what that leads to on this thread waits at the end of the queue.
    func process(_ element: Element)

    /// Whether a reducer is changing the state at this moment.
    var isReducing: Bool { get }

    /// Called before an element is queued that came while `isReducing`.
    func noticeDispatchInReducer(_ element: Element)

    /// What messages call bodies of this type; the type unless given.
    static var name: String { get }
}

extension DrainBody {
    public static var name: String { "\(Self.self)" }
}
