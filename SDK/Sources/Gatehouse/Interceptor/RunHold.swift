// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Keeps a run open until the hold is ended or released, and all that was queued by then has been processed.
///
/// Callable from any thread.
@usableFromInline
final class RunHold: Sendable {
    /// The activity that counts this hold as running work.
    private let activity: Activity
    /// The drain that processes the delayed work; nil for none.
    private let drain: Drain?
    /// Whether it still counts.
    private let isHeld = Atomic(true)

    /// Begins to count.
    @usableFromInline
    init(_ activity: Activity, in drain: Drain?) {
        self.activity = activity
        self.drain = drain
        activity.begin(.foreground)
    }

    deinit { end() }

    /// Stops counting once all that is queued and all that follows has been processed; does nothing the second time.
    @usableFromInline
    func end() {
        if isHeld.exchange(false, ordering: .relaxed) { activity.end(.foreground, atRestOf: drain) }
    }
}
