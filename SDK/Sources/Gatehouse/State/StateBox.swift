// SPDX-License-Identifier: Apache-2.0

/// Holds a state that reducers change in place; touched only in the drain.
///
/// A reducer has exclusive access to the state. `changing`, or `beginChange` and `endChange`, mark its extent, for readers of the
/// state and for queues that report actions dispatched from a reducer.
public final class StateBox<State> {
    /// The current state; for readers known to run outside reducers.
    @safe @exclusivity(unchecked) public var state: State
    /// Whether a reducer is changing the state at this moment.
    @inlinable public var isReducing: Bool { isChanging }
    /// Whether a reducer is changing the state at this moment.
    @safe @exclusivity(unchecked) @usableFromInline var isChanging = false

    /// Takes over the initial state.
    @inlinable
    public init(_ state: State) {
        self.state = state
    }

    /// The current state, for readers that may be called from anywhere in the drain; traps inside a reducer.
    @inlinable public var current: State {
        current(
            orTrap: "a reducer must not read the state of its own store; it is given the state it changes")
    }

    /// The same with another message; for code of other modules, where access to a stored property is checked at run time.
    @inlinable
    public func current(orTrap problem: @autoclosure () -> String) -> State {
        if isReducing { trap(problem()) }
        return state
    }

    /// Marks the beginning of a change; from here to `endChange`, only the reducers that the caller gives `state` may use it.
    @inlinable
    public func beginChange() { isChanging = true }

    /// Marks the end of a change.
    @inlinable
    public func endChange() { isChanging = false }

    /// The state, for a reducer that changes it in place.
    ///
    /// An accessor, which leaves no call open while the reducer runs, as a function that takes a closure would.
    @inlinable public var changing: State {
        get { current }
        _modify {
            beginChange()
            defer { endChange() }
            yield &state
        }
    }

    /// Marks a change that a closure makes to parts of the state that others hold.
    @inlinable
    public func change<Result>(_ body: () -> Result) -> Result {
        beginChange()
        defer { endChange() }
        return body()
    }
}
