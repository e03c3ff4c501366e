// SPDX-License-Identifier: Apache-2.0

/// A description of work to be done after the reducers; nothing happens until the store runs it.
///
/// Running it may emit no action, one or many, at once or late, from any thread. Running it twice does the work twice.
@frozen
public struct IO<OutputActionType: Sendable> {
    /// The work, or nil when there is none.
    @usableFromInline let body: IOBody<OutputActionType>?

    /// Work described by a closure that is given the output to emit to.
    @inlinable
    public init(_ run: @escaping (AnyActionHandler<OutputActionType>) -> Void) {
        body = ClosureIO(run)
    }

    /// Work described by a body, nil for none.
    @inlinable
    public init(body: IOBody<OutputActionType>?) {
        self.body = body
    }

    /// No work at all; costs nothing.
    @inlinable
    public static func pure() -> IO {
        IO(body: nil)
    }

    /// Whether there is nothing to run.
    @inlinable
    public var isPure: Bool { body == nil }

    /// Does the work, emitting to the given handler.
    @inlinable
    public func run(_ output: AnyActionHandler<OutputActionType>) {
        body?.run(output)
    }

    /// Does the work, emitting to a closure on whatever thread the work chooses.
    @inlinable
    public func run(_ output: @escaping @Sendable (DispatchedAction<OutputActionType>) -> Void) {
        run(AnyActionHandler(output))
    }

    /// The same work with each emitted action transformed; sources and timing stay.
    @inlinable
    public func map<NewOutput: Sendable>(
        _ transform: @escaping (OutputActionType) -> NewOutput
    ) -> IO<NewOutput> {
        guard let body else { return .pure() }
        return IO<NewOutput> { output in body.run(output.contramap(transform)) }
    }

    /// The same work with each emitted action replaced by other work, run at once with the outer output.
    ///
    /// Returning `pure()` swallows the action.
    @inlinable
    public func flatMap<NewOutput: Sendable>(
        _ transform: @escaping (DispatchedAction<OutputActionType>) -> IO<NewOutput>
    ) -> IO<NewOutput> {
        guard let body else { return .pure() }
        return IO<NewOutput> { output in
            body.run(AnyActionHandler(FlatMappedSink(parent: output.sink, transform: transform)))
        }
    }
}

extension IO: Monoid {
    /// No work.
    @inlinable
    public static var identity: IO { .pure() }

    /// Runs the synchronous part of the left to its end, then the right.
    @inlinable
    public static func <> (lhs: IO, rhs: IO) -> IO {
        guard let first = lhs.body else { return rhs }
        guard let second = rhs.body else { return lhs }
        return IO { output in
            first.run(output)
            second.run(output)
        }
    }
}
