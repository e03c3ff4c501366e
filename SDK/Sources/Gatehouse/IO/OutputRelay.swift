// SPDX-License-Identifier: Apache-2.0

/// Passes an inner middleware's IOs to the outer world, through a sink made once for each outer output.
///
/// Owned by one middleware and used in the drain only. Costs nothing for an action that the inner middleware does not answer.
public struct OutputRelay<Inner: Sendable, Outer: Sendable> {
    /// The body to refill.
    @usableFromInline var body: RelayedIO<Inner, Outer>
    /// Whether the body has been filled since the last `release`.
    @usableFromInline var isFilled = false

    /// Creates a relay that puts a sink in front of each outer one.
    @inlinable
    public init(_ makeSink: @escaping (ActionSink<Outer>) -> ActionSink<Inner>) { body = RelayedIO(makeSink) }

    /// Creates a relay that maps each action.
    @inlinable
    public init(map transform: @escaping (Inner) -> Outer) {
        self.init { ActionSink(mappingTo: $0, transform) }
    }

    /// Releases the last relayed IO, unless its owner still holds it.
    ///
    /// Call it before the inner middleware handles the next action: a body that is still held cannot be refilled.
    @inlinable
    public mutating func release() {
        guard isFilled else { return }
        isFilled = false
        if isKnownUniquelyReferenced(&body) {
            body.inner = .pure()
        } else {
            body = RelayedIO(body.sinks.makeSink)
        }
    }

    /// Returns the inner IO as an outer one; call `release` first.
    @inlinable
    public mutating func callAsFunction(_ io: consuming IO<Inner>) -> IO<Outer> {
        if io.isPure { return .pure() }
        isFilled = true
        body.inner = io
        return IO(body: body)
    }
}

/// An inner IO that emits through a relay's sink.
@usableFromInline
final class RelayedIO<Inner: Sendable, Outer: Sendable>: IOBody {
    /// The work whose outputs pass through the relay.
    @safe @exclusivity(unchecked) @usableFromInline var inner: IO<Inner> = .pure()
    /// Finds the inner output for an outer one.
    @safe @exclusivity(unchecked) @usableFromInline var sinks: SinkCache<Inner, Outer>

    /// Creates a body with nothing to run yet.
    @inlinable
    init(_ makeSink: @escaping (ActionSink<Outer>) -> ActionSink<Inner>) { sinks = SinkCache(makeSink) }

    @inlinable
    func run(_ output: AnyActionHandler<Outer>) { inner.run(sinks.handler(for: output)) }
}
