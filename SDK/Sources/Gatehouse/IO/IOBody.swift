// SPDX-License-Identifier: Apache-2.0

/// The reusable work object of an `IO`.
///
/// Middlewares that wrap others keep one body and refill it for each action, as long as nothing else holds it; so a
/// dispatch that emits nothing needs no heap allocations.
public protocol IOBody<OutputActionType>: AnyObject {
    /// The type of the actions that the work emits.
    associatedtype OutputActionType: Sendable

    /// Does the work; called in the drain, after the reducers.
    func run(_ output: AnyActionHandler<OutputActionType>)
}
