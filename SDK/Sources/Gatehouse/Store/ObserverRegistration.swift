// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Whether an observer is still registered; ended from any thread, before the observer itself is removed in the drain.
final class ObserverRegistration: Sendable {
    /// Written once, by `end`; read without a lock, because it is read with each change of the state.
    private let active = Atomic<Bool>(true)
    /// The place in the list, less than 0 for none; touched only in the drain, which orders the accesses.
    private let index = Atomic<Int>(-1)

    /// The observer's place in its store's list; nil if it is not there; used in the drain.
    var place: Int? {
        get {
            let index = index.load(ordering: .relaxed)
            return index < 0 ? nil : index
        }
        set { index.store(newValue ?? -1, ordering: .relaxed) }
    }

    /// Whether it has not ended.
    var isActive: Bool { active.load(ordering: .acquiring) }

    /// Ends the registration permanently; callable from any thread.
    func end() { active.store(false, ordering: .releasing) }
}
