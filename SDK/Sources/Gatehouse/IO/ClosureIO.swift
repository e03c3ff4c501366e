// SPDX-License-Identifier: Apache-2.0

/// An IO body around a closure.
@usableFromInline
final class ClosureIO<OutputActionType: Sendable>: IOBody<OutputActionType> {
    /// The work.
    @usableFromInline let body: (AnyActionHandler<OutputActionType>) -> Void

    /// A body that calls the closure for each run.
    @inlinable
    init(_ body: @escaping (AnyActionHandler<OutputActionType>) -> Void) {
        self.body = body
    }

    @inlinable
    override func run(_ output: AnyActionHandler<OutputActionType>) { body(output) }
}
