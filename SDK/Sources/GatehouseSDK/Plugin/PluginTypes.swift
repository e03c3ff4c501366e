// SPDX-License-Identifier: Apache-2.0

/// The types that a plugin consists of; adopted through `Plugin`.
///
/// A protocol of its own, because here the compiler takes each type as it is declared or its default. Beside the functions
/// of `Plugin` it would look for them in what the functions return, which is named in terms of these very types.
public protocol PluginTypes: SendableMetatype {
    /// What it hears and emits; `AnyAction` for a plugin that hears everything.
    associatedtype Action: PluginAction
    /// What an operator may set.
    associatedtype Settings: PluginSettings = NoSettings
    /// What it keeps in its slice.
    associatedtype State: Codable & Sendable = NoState
}

extension PluginTypes {
    /// What the host provides to an instance, with its settings.
    public typealias Context = PluginContext<Settings>

    /// A function from what the host provides to a middleware.
    public typealias Reader = MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>
}
