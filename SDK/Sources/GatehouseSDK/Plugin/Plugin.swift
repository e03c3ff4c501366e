// SPDX-License-Identifier: Apache-2.0

/// A plugin: actions, and what happens when they arrive.
///
///     struct Greeter: Plugin {
///         enum Action: PluginAction { case hello(name: String), greeted(text: String) }
///         struct Settings: PluginSettings { var greeting = "Hello" }
///
///         static func middleware() -> Reader {
///             .onAction { action, _, context in
///                 guard case .hello(let name) = action else { return .doNothing }
///                 return .just(.greeted(text: "\(context.settings.greeting), \(name)!"))
///             }
///         }
///     }
///
/// The `plugin.json` beside the source names the type as `principal`. A plugin may be used several times at once; each
/// use is an instance with settings, state and middlewares of its own.
///
/// ## Implementing this protocol
/// `Action` is required, `Settings` and `State` may be declared beside it. A plugin with behaviour has a `middleware` (or several `middlewares`), a plugin with state has
/// `State`, `initialState` and a `reducer`. Everything runs in the host's process: a trap ends it.
public protocol Plugin: PluginTypes {
    /// The state of a fresh instance.
    static func initialState(_ settings: Settings) -> State

    /// Changes the state; runs in place, once for each action the instance hears while its gate is open.
    static func reducer(_ settings: Settings) -> Reducer<Action, State>

    /// Reads what the host provides and makes a middleware, once for each instance.
    static func middleware() -> Reader

    /// Several middlewares that hear the same actions, in order; by default the one.
    static func middlewares() -> [Reader]
}

extension Plugin {
    /// Changes nothing.
    public static func reducer(_ settings: Settings) -> Reducer<Action, State> { .identity }

    /// No behaviour beside the reducer.
    public static func middleware() -> Reader {
        Reader { _ in AnyMiddleware(IdentityMiddleware()) }
    }

    /// The one middleware.
    public static func middlewares() -> [Reader] { [middleware()] }
}

extension Plugin where State == NoState {
    /// Nothing to keep.
    public static func initialState(_ settings: Settings) -> NoState { NoState() }
}
