// SPDX-License-Identifier: Apache-2.0

/// A live state getter: `state()` gives the state at the moment of the call.
///
/// Called in `handle` it gives the state before the action's reducers, called in the returned `IO` the state after them.
/// It may be kept, but only called where the store calls its middlewares: in the drain. It is not `Sendable`, so the
/// compiler keeps it out of effect bodies. It is made once for each store or lift and handed on as it is: a closure
/// parameter made for each action would cost a heap allocation each time.
@frozen
public struct GetState<StateType> {
    /// Tells getters apart: two with the same identity read the same.
    public let identity: AnyObject
    /// Reads the state.
    @usableFromInline let read: () -> StateType

    /// A getter with an identity of its maker's.
    @inlinable
    public init(identity: AnyObject, read: @escaping () -> StateType) {
        self.identity = identity
        self.read = read
    }

    /// A getter that calls a closure each time; for tests and adapters.
    @inlinable
    public init(_ read: @escaping () -> StateType) {
        self.init(identity: Identity(), read: read)
    }

    /// The state as it is now.
    @inlinable
    public func callAsFunction() -> StateType {
        read()
    }

    /// A getter of a part; the map runs once for each read.
    @inlinable
    public func map<Part>(_ transform: @escaping (StateType) -> Part) -> GetState<Part> {
        GetState<Part>(identity: Identity()) { [read] in transform(read()) }
    }
}

/// Something that is nothing but different from all others.
@usableFromInline
final class Identity {
    @usableFromInline
    init() {}
}
