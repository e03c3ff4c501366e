// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether an observer still wants to hear; ended from any thread, before the observer itself is removed in the drain.
final class ObserverRegistration: Sendable {
    /// Written once, by `end`; reading it takes no lock, because it is read with each change of the state.
    private let active = Atomic<Bool>(true)

    /// Whether it has not ended.
    var isActive: Bool { active.load(ordering: .acquiring) }

    /// Ends the registration for good; callable from any thread.
    func end() { active.store(false, ordering: .releasing) }
}
