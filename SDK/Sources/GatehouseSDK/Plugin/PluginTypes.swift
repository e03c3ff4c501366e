// SPDX-License-Identifier: Apache-2.0

/// The types of a plugin; adopted through `Plugin`.
///
/// A protocol of its own, because here the compiler takes each type as it is declared or its default. Beside the functions
/// of `Plugin` it would infer them from the functions' results, which are named in terms of these very types.
public protocol PluginTypes: SendableMetatype {
    /// The actions it receives and emits; `AnyAction` for a plugin that receives everything.
    associatedtype Action: PluginAction
    /// The settings of an operator.
    associatedtype Settings: PluginSettings = NoSettings
    /// The state in its slice.
    associatedtype State: Codable & Sendable = NoState
}

extension PluginTypes {
    /// The host's services for an instance, with its settings.
    public typealias Context = PluginContext<Settings>

    /// A function from the context to a middleware.
    public typealias Reader = MiddlewareReader<Context, AnyMiddleware<Action, Action, State>>
}
