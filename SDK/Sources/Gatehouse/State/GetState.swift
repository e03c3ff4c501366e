// SPDX-License-Identifier: Apache-2.0

/// A live state getter: `state()` gives the state at the moment of the call.
///
/// Called in `handle` it gives the state before the action's reducers, called in the returned `IO` the state after them.
/// It may be kept, but only called where the store calls its middlewares: in the drain. It is not `Sendable`, so the
/// compiler keeps it out of effect bodies. It is made once for each store or lift and handed on as it is, a single
/// reference: a closure parameter made for each action would cost a heap allocation each time.
@frozen
public struct GetState<StateType> {
    /// The object that reads the state at each call.
    @usableFromInline let reader: StateReader<StateType>

    /// A getter that calls a closure each time.
    @inlinable
    public init(_ read: @escaping () -> StateType) {
        reader = StateReader(read)
    }

    /// Tells getters apart: copies of one getter have one identity.
    @inlinable
    public var identity: AnyObject { reader }

    /// The state as it is now.
    @inlinable
    public func callAsFunction() -> StateType {
        reader.read()
    }

    /// A getter of a part; the map runs once for each read.
    @inlinable
    public func map<Part>(_ transform: @escaping (StateType) -> Part) -> GetState<Part> {
        GetState<Part> { [reader] in transform(reader.read()) }
    }
}

/// What all copies of a getter share.
@usableFromInline
final class StateReader<StateType> {
    /// The closure that reads the state.
    @usableFromInline let read: () -> StateType

    /// A reader around a closure.
    @inlinable
    init(_ read: @escaping () -> StateType) {
        self.read = read
    }
}
