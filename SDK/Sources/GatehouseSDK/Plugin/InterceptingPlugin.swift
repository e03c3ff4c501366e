// SPDX-License-Identifier: Apache-2.0

/// A plugin that sees actions before everybody else, and passes, changes, stops or delays them.
///
/// ```swift
/// struct Limit: InterceptingPlugin {
///     enum Action: PluginAction {
///         case placed(id: Int, total: Double)
///         case approvalNeeded(id: Int)
///     }
///     struct Settings: PluginSettings { var maximum = 100.0 }
///
///     static func middleware() -> Reader { .doNothing() }
///
///     static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
///         AnyInterceptor { action, _, _, output, next in
///             guard case .placed(let id, let total) = action, total > context.settings.maximum else {
///                 return next()
///             }
///             output.dispatch(.approvalNeeded(id: id))
///         }
///     }
/// }
/// ```
///
/// It decides about the actions that its manifest consumes, in the order of the configuration; never about the host's
/// own. The manifest must ask for the permission `intercept`, so that nobody is surprised.
public protocol InterceptingPlugin: Plugin {
    /// Makes the interceptor, once for each instance.
    ///
    /// It sees each action ahead of all middlewares and reducers, except one whose payload does not decode.
    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State>
}
