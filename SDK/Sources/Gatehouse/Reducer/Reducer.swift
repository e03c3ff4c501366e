// SPDX-License-Identifier: Apache-2.0

/// A function that changes the state in place, as the reducers of SwiftRex do.
public typealias MutableReduceFunction<ActionType, StateType> = (ActionType, inout StateType) -> Void

/// A function that turns an action and a state into the next state.
///
/// Runs in the drain, once for each action, in place. It must not dispatch; an action dispatched from a reducer joins the end
/// of the queue like any other, is never nested, and is reported as misuse of the store. It has exclusive access to the state:
/// reading the state of its own store in another way, through a kept getter or the store, is a programming error and traps,
/// also in release builds.
///
/// ```swift
/// static var switching: Reducer<LampAction, Lamp> {
///     .reduce { action, lamp in
///         switch action {
///         case .toggle: lamp.isOn.toggle()
///         case .dim(let steps): lamp.brightness -= steps
///         }
///     }
/// }
/// ```
@frozen
public struct Reducer<ActionType, StateType> {
    /// Applies an action and reports whether the state may have changed.
    public let apply: (ActionType, inout StateType) -> StateChange

    /// Creates a reducer that reports what it did.
    @inlinable
    public init(apply: @escaping (ActionType, inout StateType) -> StateChange) {
        self.apply = apply
    }

    /// Creates a reducer in its plain form; every action it receives counts as a change.
    @inlinable
    public static func reduce(_ reduce: @escaping MutableReduceFunction<ActionType, StateType>) -> Reducer {
        Reducer { action, state in
            reduce(action, &state)
            return .changed
        }
    }

    /// Creates a reducer that reports `.changed` or `.unchanged`, which spares observers actions without a change.
    @inlinable
    public static func reducing(
        _ apply: @escaping (ActionType, inout StateType) -> StateChange
    ) -> Reducer {
        Reducer(apply: apply)
    }

    /// Applies an action without reporting what changed.
    @inlinable
    public var reduce: MutableReduceFunction<ActionType, StateType> {
        { action, state in _ = apply(action, &state) }
    }
}

extension Reducer: Monoid {
    /// A reducer that leaves every state as it is.
    @inlinable
    public static var identity: Reducer { Reducer { _, _ in .unchanged } }

    /// Runs the left reducer, then the right one on its result.
    @inlinable
    public static func <> (lhs: Reducer, rhs: Reducer) -> Reducer {
        Reducer { action, state in
            let first = lhs.apply(action, &state)
            return first | rhs.apply(action, &state)
        }
    }
}

/// Whether a reducer changed the state.
@frozen
public enum StateChange: Sendable, Hashable {
    /// The state is as it was; observers are not called.
    case unchanged
    /// The state may differ; observers are called.
    case changed

    /// Compares the cases; written out, so that a dispatch need not call it.
    @inlinable
    public static func == (lhs: StateChange, rhs: StateChange) -> Bool {
        switch (lhs, rhs) {
        case (.unchanged, .unchanged), (.changed, .changed): true
        case (.unchanged, .changed), (.changed, .unchanged): false
        }
    }

    /// Returns `.changed` if either is.
    @inlinable
    public static func | (lhs: StateChange, rhs: StateChange) -> StateChange {
        lhs == .changed || rhs == .changed ? .changed : .unchanged
    }
}
