// SPDX-License-Identifier: Apache-2.0

/// An inner IO that emits through a relay's sink.
@usableFromInline
final class RelayedIO<Inner: Sendable, Outer: Sendable>: IOBody {
    /// What to run.
    @usableFromInline var inner: IO<Inner> = .pure()
    /// Finds the inner output for an outer one.
    @usableFromInline let sinks: SinkCache<Inner, Outer>

    /// A body with nothing to run yet.
    @inlinable
    init(sinks: SinkCache<Inner, Outer>) {
        self.sinks = sinks
    }

    @inlinable
    func run(_ output: AnyActionHandler<Outer>) {
        inner.run(sinks.handler(for: output))
    }
}
