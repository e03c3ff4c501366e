// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Keeps a run open until it is ended or released, whichever comes first, and what was queued by then has been processed.
///
/// Callable from any thread.
@usableFromInline
final class RunHold: Sendable {
    /// The activity that counts this hold as work that is running.
    private let activity: Activity
    /// Where what it delays is processed; nil where there is no drain.
    private let drain: Drain?
    /// Whether it still counts.
    private let isHeld = Atomic(true)

    /// Counts from here on.
    @usableFromInline
    init(_ activity: Activity, in drain: Drain?) {
        self.activity = activity
        self.drain = drain
        activity.begin(.foreground)
    }

    deinit { end() }

    /// Counts no longer, once what is queued and what follows from it has been processed; does nothing the second time.
    @usableFromInline
    func end() {
        if isHeld.exchange(false, ordering: .relaxed) { activity.end(.foreground, atRestOf: drain) }
    }
}
