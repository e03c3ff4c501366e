// SPDX-License-Identifier: Apache-2.0

/// A live state getter: `state()` gives the state at the moment of the call.
///
/// Called in `handle` it gives the state before the action's reducers, called in the returned `IO` the state after them.
/// It may be kept, but only called where the store calls its middlewares: in the drain. It is not `Sendable`, so the
/// compiler keeps it out of effect bodies. A struct rather than a closure, because a closure parameter costs one heap
/// allocation for each action handled.
@frozen
public struct GetState<StateType> {
    /// Where the state is read.
    public let source: StateSource<StateType>

    /// A getter for a source.
    @inlinable
    public init(_ source: StateSource<StateType>) {
        self.source = source
    }

    /// A getter that calls a closure each time; for tests and adapters.
    @inlinable
    public init(_ readState: @escaping () -> StateType) {
        source = ClosureStateSource(readState)
    }

    /// The state as it is now.
    @inlinable
    public func callAsFunction() -> StateType {
        source.read()
    }

    /// A getter of a part; the map runs once for each read.
    @inlinable
    public func map<Part>(_ transform: @escaping (StateType) -> Part) -> GetState<Part> {
        GetState<Part>(MappedStateSource(parent: source, transform: transform))
    }
}
