// SPDX-License-Identifier: Apache-2.0

/// One listener of a store's actions.
struct ActionListener: RegisteredListener {
    let registration: ListenerRegistration
    /// Calls the listener with an action.
    let tell: @Sendable (_ action: any Action) -> Void
}
