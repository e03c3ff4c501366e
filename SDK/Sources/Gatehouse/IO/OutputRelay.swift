// SPDX-License-Identifier: Apache-2.0

/// Passes an inner middleware's IOs on to the outer world, through a sink made once for each outer output.
///
/// Owned by one middleware and used in the drain only.
public struct OutputRelay<Inner: Sendable, Outer: Sendable> {
    /// Makes and remembers the sinks.
    @usableFromInline let sinks: SinkCache<Inner, Outer>
    /// The body to fill again.
    @usableFromInline var body: RelayedIO<Inner, Outer>

    /// A relay that puts a sink in front of each outer one.
    @inlinable
    public init(_ makeSink: @escaping (ActionSink<Outer>) -> ActionSink<Inner>) {
        sinks = SinkCache(makeSink)
        body = RelayedIO(sinks: sinks)
    }

    /// A relay that maps each action.
    @inlinable
    public init(map transform: @escaping (Inner) -> Outer) {
        self.init { ActionSink(mappingTo: $0, transform) }
    }

    /// Lets go of the IO relayed last, unless its owner still holds it.
    ///
    /// Call it before the inner middleware handles the next action: a body that is still held cannot be filled again.
    @inlinable
    public mutating func release() {
        if isKnownUniquelyReferenced(&body) {
            body.inner = .pure()
        } else {
            body = RelayedIO(sinks: sinks)
        }
    }

    /// The inner IO as an outer one; call `release` first.
    @inlinable
    public func callAsFunction(_ io: consuming IO<Inner>) -> IO<Outer> {
        if io.isPure { return .pure() }
        let body = body
        body.inner = io
        return IO(body: body)
    }
}
