// SPDX-License-Identifier: Apache-2.0

/// A handler that is an erased one inside; erasing it again gives that one, whose drain is known.
@usableFromInline
protocol ErasedActionHandler<ActionType>: ActionHandler {
    /// The one inside.
    var handler: AnyActionHandler<ActionType> { get }
}
