// SPDX-License-Identifier: Apache-2.0

/// The work behind an `IO`.
///
/// Middlewares that wrap others keep one body and fill it again for each action, as long as nobody else holds it: that
/// is what makes a dispatch that emits nothing free of heap allocations.
open class IOBody<OutputActionType: Sendable> {
    /// For subclasses.
    @inlinable
    public init() {}

    /// Does the work; called in the drain, after the reducers. Subclasses must override.
    open func run(_ output: AnyActionHandler<OutputActionType>) {
        preconditionFailure("IOBody.run must be overridden")
    }
}
