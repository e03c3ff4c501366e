// SPDX-License-Identifier: Apache-2.0

/// A handler that is an erased one inside; erasing it again gives that one, whose drain is known.
@usableFromInline
protocol ErasedActionHandler<ActionType>: ActionHandler {
    /// The erased handler that a type that wraps one passes its actions to.
    var handler: AnyActionHandler<ActionType> { get }
}
