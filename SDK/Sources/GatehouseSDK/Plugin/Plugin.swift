// SPDX-License-Identifier: Apache-2.0

/// A plugin: actions, and what happens when they arrive.
///
/// ```swift
/// struct Greeter: Plugin {
///     enum Action: PluginAction { case hello(name: String), greeted(text: String) }
///     struct Settings: PluginSettings { var greeting = "Hello" }
///
///     static func middleware() -> Reader {
///         .onAction { action, _, context in
///             guard case .hello(let name) = action else { return .doNothing }
///             return .just(.greeted(text: "\(context.settings.greeting), \(name)!"))
///         }
///     }
/// }
/// ```
///
/// The `plugin.json` beside the source names the type as `principal`. A plugin may be used several times at once; each use is
/// an instance with settings, state and middlewares of its own.
///
/// ## Implementing this protocol
/// `Action` is required, and either `middleware` or `middlewares`; a plugin that only keeps state returns `.doNothing()`. A
/// plugin with state has `State`, `initialState` and a `reducer`, a plugin with settings has `Settings`. A plugin without a
/// middleware function does not build: the tool that embeds its manifest names the type. Where the tool cannot see all
/// members, the first use traps with that sentence. Everything runs in the host's process: a trap ends it.
public protocol Plugin: PluginTypes {
    /// Returns the state of a fresh instance.
    static func initialState(_ settings: Settings) -> State

    /// Changes the state; runs in place, once for each action that reaches the instance through its gate.
    ///
    /// It has exclusive access to the state: reading the instance's state in another way traps.
    static func reducer(_ settings: Settings) -> Reducer<Action, State>

    /// Makes a middleware from the host's services, once for each instance; by default joins `middlewares`.
    ///
    /// Join several readers with `<>`: they receive an action first to last.
    static func middleware() -> Reader

    /// Makes several middlewares that receive the same actions, in order; by default none, which leaves it to `middleware`.
    static func middlewares() -> [Reader]

    /// Combines all of the above for a host, once for each instance; by default `reducer` and `middlewares`.
    ///
    /// Not for plugins to implement: `TimedPlugin` and `BehaviorPlugin` do.
    static func logic(_ settings: Settings, now: ActionTime) -> PluginLogic<Action, State, Context>
}

extension Plugin {
    /// The reducer and the middlewares.
    @inlinable
    public static func logic(_ settings: Settings, now: ActionTime) -> PluginLogic<Action, State, Context> {
        PluginLogic(reducer: reducer(settings), readers: readers())
    }

    /// Joins the `middlewares` in order; traps for a plugin that has neither function.
    @inlinable
    public static func middleware() -> Reader {
        let several = middlewares()
        if several.isEmpty {
            fatalError(
                "expected middleware() or middlewares() in \(Self.self), found neither; write one of them, with .doNothing() for a plugin that only keeps state"
            )
        }
        return several.reduce(.identity, <>)
    }

    /// None, for a plugin that has `middleware`.
    @inlinable
    public static func middlewares() -> [Reader] { [] }

    /// Returns the plugin's `middlewares`, or else its `middleware`.
    @inlinable
    static func readers() -> [Reader] {
        let several = middlewares()
        return several.isEmpty ? [middleware()] : several
    }
}

extension Plugin where State == NoState {
    /// The state of a plugin that keeps none.
    @inlinable
    public static func initialState(_ settings: Settings) -> NoState { NoState() }

    /// The reducer of a plugin that keeps no state.
    @inlinable
    public static func reducer(_ settings: Settings) -> Reducer<Action, NoState> { .identity }
}
