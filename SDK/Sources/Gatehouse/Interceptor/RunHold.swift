// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Keeps a run open until it is ended or released, whichever comes first; callable from any thread.
@usableFromInline
final class RunHold: Sendable {
    /// Counts it.
    private let activity: Activity
    /// Whether it still counts.
    private let isHeld = Atomic(true)

    /// Counts from here on.
    @usableFromInline
    init(_ activity: Activity) {
        self.activity = activity
        activity.begin(background: false)
    }

    deinit { end() }

    /// Counts no longer; does nothing the second time.
    @usableFromInline
    func end() {
        if isHeld.exchange(false, ordering: .relaxed) { activity.end(background: false) }
    }
}
