// SPDX-License-Identifier: Apache-2.0

/// The inner output for an outer one, made once and cached for the most recent outer one.
///
/// For anything between a middleware and the store that has to see outputs. Used in the drain.
public struct SinkCache<Inner: Sendable, Outer: Sendable> {
    /// Makes the inner sink.
    @usableFromInline let makeSink: (ActionSink<Outer>) -> ActionSink<Inner>
    /// The most recent outer sink.
    @usableFromInline var outer: ActionSink<Outer>?
    /// The inner handler made for `outer`.
    @usableFromInline var inner: AnyActionHandler<Inner>?

    /// Creates an empty cache; the closure puts a sink in front of an outer one.
    @inlinable
    public init(_ makeSink: @escaping (ActionSink<Outer>) -> ActionSink<Inner>) {
        self.makeSink = makeSink
    }

    /// Returns the inner handler for an outer one.
    @inlinable
    public mutating func handler(for output: AnyActionHandler<Outer>) -> AnyActionHandler<Inner> {
        if output.sink === outer, let inner { return inner }
        let made = AnyActionHandler(makeSink(output.sink))
        outer = output.sink
        inner = made
        return made
    }
}
