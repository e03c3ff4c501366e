// SPDX-License-Identifier: Apache-2.0

/// A live state getter: `state()` returns the state at the moment of the call.
///
/// In `handle` it returns the state before the action's reducers, in the returned `IO` the state after them. You may
/// keep it, but call it only where the store calls its middlewares: in the drain. It is not `Sendable`, so the compiler
/// keeps it out of effect bodies. It is made once for each store or lift and passed on as it is, a single reference: a
/// closure parameter made for each action would cost a heap allocation each time.
@frozen
public struct GetState<StateType> {
    /// The object that reads the state at each call.
    @usableFromInline let reader: StateReader<StateType>

    /// Creates a getter that calls a closure each time.
    @inlinable
    public init(_ read: @escaping () -> StateType) { reader = StateReader(read) }

    /// Distinguishes getters: all copies of one getter have the same identity.
    @inlinable
    public var identity: AnyObject { reader }

    /// Returns the current state.
    @inlinable
    public func callAsFunction() -> StateType { reader.read() }

    /// Returns a getter of a part; the map runs once for each read.
    @inlinable
    public func map<Part>(_ transform: @escaping (StateType) -> Part) -> GetState<Part> {
        GetState<Part> { [reader] in transform(reader.read()) }
    }
}

/// The shared storage of all copies of a getter.
@usableFromInline
final class StateReader<StateType> {
    /// The closure that reads the state.
    @usableFromInline let read: () -> StateType

    /// Creates a reader around a closure.
    @inlinable
    init(_ read: @escaping () -> StateType) {
        self.read = read
    }
}
