// SPDX-License-Identifier: Apache-2.0

/// The inner output that belongs to an outer one, made once and remembered for the outer one seen last.
///
/// For whatever stands between a middleware and the store and has to see outputs. Used in the drain.
public struct SinkCache<Inner: Sendable, Outer: Sendable> {
    /// Makes the inner sink.
    @usableFromInline let makeSink: (ActionSink<Outer>) -> ActionSink<Inner>
    /// The outer sink seen last.
    @usableFromInline var outer: ActionSink<Outer>?
    /// The inner handler made for it.
    @usableFromInline var inner: AnyActionHandler<Inner>?

    /// A cache with nothing in it; the closure puts a sink in front of an outer one.
    @inlinable
    public init(_ makeSink: @escaping (ActionSink<Outer>) -> ActionSink<Inner>) {
        self.makeSink = makeSink
    }

    /// The inner handler for an outer one.
    @inlinable
    public mutating func handler(for output: AnyActionHandler<Outer>) -> AnyActionHandler<Inner> {
        if output.sink === outer, let inner { return inner }
        let made = AnyActionHandler(makeSink(output.sink))
        outer = output.sink
        inner = made
        return made
    }
}
