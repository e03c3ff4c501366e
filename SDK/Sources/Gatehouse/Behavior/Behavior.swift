// SPDX-License-Identifier: Apache-2.0

/// Reducer and middleware in one value: one function decides for each action how the state changes and what follows.
///
/// ```swift
/// static var lamp: Behavior<LampAction, Lamp, Void> {
///     .handle { action, lamp in
///         switch action {
///         case .toggle:
///             .reduce { $0.isOn.toggle() }.produce { lamp, _ in .just(.said(lamp().isOn ? "on" : "off")) }
///         case .said: .doNothing
///         }
///     }
/// }
/// ```
///
/// The function runs once for each action, where a reducer would: everything joined on its left has changed the state by then.
/// Its change happens at once; its effect when all reducers are done, where an effect middleware would answer. So a behavior
/// does exactly what its reducer and its middleware do side by side, and is joined and lifted like them. In a join, the left
/// one changes the state first and answers last, and each has tokens of its own.
///
/// A behavior is a value that runs nothing itself: each store, and each instance of a plugin, gets its own parts from
/// `parts()`. For an action that only its reducer sees, as in a replay or in `OwnState.apply`, a behavior makes the change but
/// no effect.
public struct Behavior<ActionType: Sendable, StateType, Dependencies> {
    /// Makes the two parts, which know each other.
    private let make: () -> BehaviorParts<ActionType, StateType, Dependencies>

    /// Creates a behavior that makes its parts by a function.
    private init(_ make: @escaping () -> BehaviorParts<ActionType, StateType, Dependencies>) {
        self.make = make
    }

    /// Creates a behavior from one function, which runs in the drain, in the place of a reducer.
    public static func handle(
        _ handle:
            @escaping (ActionType, StateType) -> Consequence<ActionType, StateType, Dependencies>
    ) -> Behavior {
        Behavior {
            let link = BehaviorLink<ActionType, StateType, Dependencies>()
            return BehaviorParts(
                reducer: Reducer { action, state in
                    let consequence = handle(action, state)
                    link.produce = consequence.produce
                    return consequence.mutate?(&state) ?? .unchanged
                },
                reader: MiddlewareReader { link.middleware($0) })
        }
    }

    /// Creates a behavior from a reducer and an effect middleware that do not know each other.
    public init(
        reducer: Reducer<ActionType, StateType>,
        onAction: @escaping EffectMiddleware<ActionType, ActionType, StateType, Dependencies>.OnAction = {
            _, _, _ in .doNothing
        }
    ) {
        self.init {
            BehaviorParts(
                reducer: reducer,
                reader: MiddlewareReader { EffectMiddleware(dependencies: $0, onAction: onAction) })
        }
    }

    /// Returns a reducer and a reader of a middleware that belong together: to one store or one instance, and one injection.
    public func parts() -> BehaviorParts<ActionType, StateType, Dependencies> { make() }

    /// Returns a behavior whose parts are made from this one's.
    private func map<GlobalAction: Sendable, GlobalState, World>(
        _ transform:
            @escaping (BehaviorParts<ActionType, StateType, Dependencies>) -> BehaviorParts<
                GlobalAction, GlobalState, World
            >
    ) -> Behavior<GlobalAction, GlobalState, World> {
        Behavior<GlobalAction, GlobalState, World> { transform(make()) }
    }
}

/// The parts of a behavior; see `Behavior.parts()`.
public struct BehaviorParts<ActionType: Sendable, StateType, Dependencies> {
    /// The reducer, which changes the state before the middleware's outputs are run.
    public let reducer: Reducer<ActionType, StateType>
    /// Makes the middleware that answers the actions that the reducer has seen.
    public let reader:
        MiddlewareReader<
            Dependencies, EffectMiddleware<ActionType, ActionType, StateType, Dependencies>
        >
}

extension Behavior: Monoid {
    /// Changes nothing and answers nothing.
    public static var identity: Behavior {
        Behavior {
            BehaviorParts(reducer: .identity, reader: MiddlewareReader { _ in EffectMiddleware(joining: []) })
        }
    }

    /// Joins both; the left one changes the state first and answers last.
    public static func <> (lhs: Behavior, rhs: Behavior) -> Behavior {
        Behavior {
            let (left, right) = (lhs.make(), rhs.make())
            return BehaviorParts(
                reducer: left.reducer <> right.reducer,
                reader: MiddlewareReader { left.reader.inject($0) <> right.reader.inject($0) })
        }
    }
}

// MARK: - Lifts

extension Behavior {
    /// Fits actions and state by key paths; an output is the answered action with the output written in.
    public func lift<GlobalAction: Sendable, GlobalState>(
        action: WritableKeyPath<GlobalAction, ActionType?>, state: WritableKeyPath<GlobalState, StateType>
    ) -> Behavior<GlobalAction, GlobalState, Dependencies> {
        map { parts in
            BehaviorParts<GlobalAction, GlobalState, Dependencies>(
                reducer: parts.reducer.lift(action: action, state: state),
                reader: parts.reader.mapMiddleware { $0.lift(action: action, state: state) })
        }
    }

    /// Fits actions and state by closures; skips an action that the input map turns into nil.
    public func lift<GlobalAction: Sendable, GlobalState>(
        inputAction: @escaping (GlobalAction) -> ActionType?,
        outputAction: @escaping (ActionType) -> GlobalAction,
        stateGetter: @escaping (GlobalState) -> StateType,
        stateSetter: @escaping (inout GlobalState, StateType) -> Void
    ) -> Behavior<GlobalAction, GlobalState, Dependencies> {
        map { parts in
            BehaviorParts<GlobalAction, GlobalState, Dependencies>(
                reducer: parts.reducer.lift(
                    actionGetter: inputAction, stateGetter: stateGetter, stateSetter: stateSetter),
                reader: parts.reader.mapMiddleware {
                    $0.lift(inputAction: inputAction, outputAction: outputAction, state: stateGetter)
                })
        }
    }

    /// Fits the behavior to a collection whose elements are found by id; each element has its own effects.
    public func liftToCollection<
        GlobalAction: Sendable, GlobalState, Elements: MutableCollection<StateType>
    >(
        action: WritableKeyPath<GlobalAction, ElementIDAction<StateType.ID, ActionType>?>,
        stateCollection: WritableKeyPath<GlobalState, Elements>
    ) -> Behavior<GlobalAction, GlobalState, Dependencies>
    where StateType: Identifiable, StateType.ID: Sendable {
        map { parts in
            BehaviorParts<GlobalAction, GlobalState, Dependencies>(
                reducer: parts.reducer.liftToCollection(action: action, stateCollection: stateCollection),
                reader: parts.reader.mapMiddleware { middleware in
                    middleware.liftToCollection(action: action, stateCollection: stateCollection)
                })
        }
    }

    /// Extracts its dependencies from a larger world.
    public func contramapDependencies<World>(
        _ extract: @escaping (World) -> Dependencies
    ) -> Behavior<ActionType, StateType, World> {
        map { parts in
            BehaviorParts<ActionType, StateType, World>(
                reducer: parts.reducer,
                reader: MiddlewareReader { parts.reader.inject(extract($0)).ofWorld() })
        }
    }
}

extension EffectMiddleware {
    /// Returns the same middleware under the type of a larger world, of which it uses nothing more.
    fileprivate func ofWorld<World>() -> EffectMiddleware<
        InputActionType, OutputActionType, StateType, World
    > {
        EffectMiddleware<InputActionType, OutputActionType, StateType, World>(
            around: self, count: { self.effects }, again: { self.again().ofWorld() })
    }
}
