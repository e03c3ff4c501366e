// SPDX-License-Identifier: Apache-2.0

/// The work behind an `IO` that is kept and filled again.
///
/// Middlewares that wrap others keep one body and fill it again for each action, as long as nobody else holds it: that
/// is what makes a dispatch that emits nothing free of heap allocations.
public protocol IOBody<OutputActionType>: AnyObject {
    /// The type of the actions that the work emits.
    associatedtype OutputActionType: Sendable

    /// Does the work; called in the drain, after the reducers.
    func run(_ output: AnyActionHandler<OutputActionType>)
}
