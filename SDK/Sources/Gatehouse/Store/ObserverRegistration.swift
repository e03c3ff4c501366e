// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether an observer still wants to hear; ended from any thread, before the observer itself is removed in the drain.
final class ObserverRegistration: Sendable {
    /// Written once, by `end`; reading it takes no lock, because it is read with each change of the state.
    private let active = Atomic<Bool>(true)
    /// The place in the list, less than 0 for none; touched in the drain only, which orders it.
    private let index = Atomic<Int>(-1)

    /// Where the observer stands in its store's list, nil for one that is not there; used in the drain.
    var place: Int? {
        get {
            let index = index.load(ordering: .relaxed)
            return index < 0 ? nil : index
        }
        set { index.store(newValue ?? -1, ordering: .relaxed) }
    }

    /// Whether it has not ended.
    var isActive: Bool { active.load(ordering: .acquiring) }

    /// Ends the registration for good; callable from any thread.
    func end() { active.store(false, ordering: .releasing) }
}
