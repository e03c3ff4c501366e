// SPDX-License-Identifier: Apache-2.0

/// One observer of a store's state.
@usableFromInline
struct StateObserver<State> {
    /// Whether it is still registered; also identifies the observer to remove.
    let registration: ObserverRegistration
    /// Selects the changes that it receives.
    let policy: ShouldEmitValue<State>
    /// Called in the drain, after the reducers.
    let body: (State) -> Void

    /// Whether the policy needs the state before.
    @usableFromInline var compares: Bool {
        if case .when = policy { true } else { false }
    }

    /// Calls the observer if it wants this change; `previous` may be nil unless it compares.
    @usableFromInline
    func notify(previous: State?, new: State) {
        guard registration.isActive else { return }
        switch policy {
        case .never: return
        case .always: body(new)
        case .when(let isWanted):
            if let previous, isWanted(previous, new) { body(new) }
        }
    }
}
