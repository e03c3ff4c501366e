// SPDX-License-Identifier: Apache-2.0

/// The inner output that belongs to an outer one, remembered for the outer one seen last.
@usableFromInline
final class SinkCache<Inner: Sendable, Outer: Sendable> {
    /// Makes the inner sink.
    @usableFromInline let makeSink: (ActionSink<Outer>) -> ActionSink<Inner>
    /// The outer sink seen last.
    @usableFromInline var outer: ActionSink<Outer>?
    /// The inner one made for it.
    @usableFromInline var inner: ActionSink<Inner>?

    /// A cache with nothing in it.
    @inlinable
    init(_ makeSink: @escaping (ActionSink<Outer>) -> ActionSink<Inner>) {
        self.makeSink = makeSink
    }

    /// The inner handler for an outer one.
    @inlinable
    func handler(for output: AnyActionHandler<Outer>) -> AnyActionHandler<Inner> {
        if output.sink === outer, let inner { return AnyActionHandler(inner) }
        let made = makeSink(output.sink)
        outer = output.sink
        inner = made
        return AnyActionHandler(made)
    }
}
