// SPDX-License-Identifier: Apache-2.0

/// A description of work to be done after the reducers; nothing happens until the store runs it.
///
/// Running it may emit no action, one or many, at once or late, from any thread. Running it twice does the work twice.
///
/// ```swift
/// let work = IO<Int> { output in for number in 1...3 { output.dispatch(number) } }
/// work.map { $0 * 10 }.run { dispatched in trace.add("\(dispatched.action)") }
/// ```
@frozen
public struct IO<OutputActionType: Sendable> {
    /// The function that runs after the reducers, and its body.
    @frozen
    @usableFromInline
    struct Work {
        /// Keeps the body of the work alive; nil for work contained in its closure.
        @usableFromInline let body: AnyObject?
        /// Does the work with the body.
        @usableFromInline let perform: (AnyObject?, AnyActionHandler<OutputActionType>) -> Void

        /// Creates work with its body.
        @inlinable
        init(
            body: AnyObject?, perform: @escaping (AnyObject?, AnyActionHandler<OutputActionType>) -> Void
        ) {
            self.body = body
            self.perform = perform
        }
    }

    /// The work to run; nil for none, which then costs no access to a body.
    @usableFromInline let work: Work?

    /// Creates an IO from its stored form.
    @inlinable
    init(work: Work?) {
        self.work = work
    }

    /// Creates work from a closure that receives the output to emit to.
    @inlinable
    public init(_ run: @escaping (AnyActionHandler<OutputActionType>) -> Void) {
        self.init(work: Work(body: nil) { _, output in run(output) })
    }

    /// Creates work from a body; allocates nothing, and retains the body until the IO is released.
    @inlinable
    public init<Body: IOBody<OutputActionType>>(body: Body) {
        self.init(
            work: Work(body: body) { body, output in
                // The closure captures nothing, so nothing is allocated for it; it is only called with its own body.
                if let body { unsafe unsafeDowncast(body, to: Body.self).run(output) }
            })
    }

    /// Returns no work at all; costs nothing.
    @inlinable
    public static func pure() -> IO { IO(work: nil) }

    /// Whether there is nothing to run.
    @inlinable
    public var isPure: Bool { work == nil }

    /// Does the work, emitting to the given handler.
    @inlinable
    public func run(_ output: AnyActionHandler<OutputActionType>) {
        if let work { work.perform(work.body, output) }
    }

    /// Does the work, emitting to a closure on any thread that the work chooses.
    @inlinable
    public func run(_ output: @escaping @Sendable (DispatchedAction<OutputActionType>) -> Void) {
        run(AnyActionHandler(output))
    }

    /// Returns the same work with each emitted action transformed; sources and timing stay.
    @inlinable
    public func map<NewOutput: Sendable>(
        _ transform: @escaping (OutputActionType) -> NewOutput
    ) -> IO<NewOutput> {
        if isPure { return .pure() }
        return IO<NewOutput> { output in run(output.contramap(transform)) }
    }

    /// Returns the same work with each emitted action replaced by other work, run at once with the outer output.
    ///
    /// Returning `pure()` drops the action.
    @inlinable
    public func flatMap<NewOutput: Sendable>(
        _ transform: @escaping (DispatchedAction<OutputActionType>) -> IO<NewOutput>
    ) -> IO<NewOutput> {
        if isPure { return .pure() }
        return IO<NewOutput> { output in
            run(AnyActionHandler(ActionSink(before: output.sink) { transform($0).run(output) }))
        }
    }
}

extension IO: Monoid {
    /// The IO without work.
    @inlinable
    public static var identity: IO { .pure() }

    /// Runs the synchronous part of the left to its end, then the right.
    @inlinable
    public static func <> (lhs: IO, rhs: IO) -> IO {
        if lhs.isPure { return rhs }
        if rhs.isPure { return lhs }
        return IO { output in
            lhs.run(output)
            rhs.run(output)
        }
    }
}
