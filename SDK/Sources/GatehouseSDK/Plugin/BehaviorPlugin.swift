// SPDX-License-Identifier: Apache-2.0

/// A plugin that defines in one function how its state changes and what happens afterwards.
///
/// ```swift
/// struct Doorbell: BehaviorPlugin {
///     enum Action: PluginAction { case ring, rang(times: Int) }
///     struct State: Codable, Sendable { var times = 0 }
///
///     static func initialState(_ settings: Settings) -> State { State() }
///     static func behavior(_ settings: Settings) -> Behavior<Action, State, Context> {
///         .handle { action, state in
///             guard case .ring = action else { return .doNothing }
///             return .reduce { $0.times += 1 }.produce { state, _ in .just(.rang(times: state().times)) }
///         }
///     }
/// }
/// ```
///
/// It has neither `reducer` nor `middleware`: a host takes both from the behavior. `Behavior` describes the order.
public protocol BehaviorPlugin: Plugin {
    /// Makes the behavior, once for each instance.
    static func behavior(_ settings: Settings) -> Behavior<Action, State, Context>
}

extension BehaviorPlugin {
    /// Returns the parts of one behavior.
    @inlinable
    public static func logic(_ settings: Settings, now: ActionTime) -> PluginLogic<Action, State, Context> {
        let parts = behavior(settings).parts()
        return PluginLogic(reducer: parts.reducer, readers: [parts.reader.eraseMiddleware()])
    }

    /// Returns the reducer alone, for experiments; a host takes `logic`.
    @inlinable
    public static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        behavior(settings).parts().reducer
    }

    /// A middleware that answers nothing, because no reducer belongs to it; a host takes `logic`.
    @inlinable
    public static func middleware() -> Reader { .doNothing() }
}
