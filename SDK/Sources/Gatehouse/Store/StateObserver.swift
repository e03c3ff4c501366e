// SPDX-License-Identifier: Apache-2.0

/// One observer of a store's state.
@usableFromInline
struct StateObserver<State> {
    /// Tells observers apart when one is removed.
    @usableFromInline let id: UInt
    /// Which changes it wants to hear of.
    @usableFromInline let policy: ShouldEmitValue<State>
    /// Called in the drain, after the reducers.
    @usableFromInline let notify: (State) -> Void
}
