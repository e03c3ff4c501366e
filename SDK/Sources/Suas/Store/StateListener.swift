// SPDX-License-Identifier: Apache-2.0

/// One listener of a store's state.
struct StateListener: RegisteredListener {
    let registration: ListenerRegistration
    /// The entry it observes; nil for all.
    let key: StateKey?
    /// Evaluates the filter and calls the callback.
    let tell: @Sendable (_ old: State, _ new: State) -> Void
}
