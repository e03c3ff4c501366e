// SPDX-License-Identifier: Apache-2.0

/// A handler that wraps an erased one; erasing it returns the wrapped one, whose drain is known.
@usableFromInline
protocol ErasedActionHandler<ActionType>: ActionHandler {
    /// The wrapped handler, which receives the actions.
    var handler: AnyActionHandler<ActionType> { get }
}
