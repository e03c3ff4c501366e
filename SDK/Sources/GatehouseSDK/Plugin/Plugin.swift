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
/// `Action` is required. A plugin with behaviour has a `middleware` (or several `middlewares`), a plugin with state has
/// `State`, `initialState` and a `reducer`. Everything runs in the host's process: a trap ends it.
public protocol Plugin: SendableMetatype {
    /// What it hears and emits; `AnyAction` for a plugin that hears everything.
    associatedtype Action: PluginAction
    /// What an operator may set.
    associatedtype Settings: PluginSettings = NoSettings
    /// What it keeps in its slice.
    associatedtype State: Codable & Sendable = NoState
    /// What `middleware` makes.
    associatedtype Middleware: MiddlewareProtocol<Action, Action, State> = IdentityMiddleware<Action, Action, State>

    /// The state of a fresh instance.
    static func initialState(_ settings: Settings) -> State

    /// Changes the state; runs in place, once for each action the instance hears while its gate is open.
    static func reducer(_ settings: Settings) -> Reducer<Action, State>

    /// Reads what the host provides and makes a middleware, once for each instance.
    static func middleware() -> MiddlewareReader<Context, Middleware>

    /// Several middlewares that hear the same actions, in order; by default the one.
    static func middlewares() -> [MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>]
}

extension Plugin {
    /// What the host provides to an instance, with its settings.
    public typealias Context = PluginContext<Settings>

    /// A reader of an effect middleware: the usual result of `middleware`.
    public typealias Reader = MiddlewareReader<Context, EffectMiddleware<Action, Action, State, Context>>

    /// Changes nothing.
    @inlinable
    public static func reducer(_ settings: Settings) -> Reducer<Action, State> { .identity }

    /// The one middleware.
    @inlinable
    public static func middlewares() -> [MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>] {
        [middleware().eraseMiddleware()]
    }
}

extension Plugin where State == NoState {
    /// Nothing to keep.
    public static func initialState(_ settings: Settings) -> NoState { NoState() }
}

extension Plugin where Middleware == IdentityMiddleware<Action, Action, State> {
    /// No behaviour beside the reducer.
    @inlinable
    public static func middleware() -> MiddlewareReader<Context, IdentityMiddleware<Action, Action, State>> {
        MiddlewareReader { _ in IdentityMiddleware() }
    }
}
