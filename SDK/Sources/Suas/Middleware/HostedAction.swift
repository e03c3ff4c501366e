// SPDX-License-Identifier: Apache-2.0

/// An action on its way through middlewares in front of a Gatehouse store, as one concrete type.
struct HostedAction: Sendable {
    /// The action that the middlewares see.
    let action: any Action
}
