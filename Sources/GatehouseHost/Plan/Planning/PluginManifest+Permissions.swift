// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

extension PluginManifest {
    /// The permission to decide about actions.
    static let interceptPermission = "intercept"

    /// Why the manifest does not fit what the plugin does, nil when it does.
    ///
    /// A plugin that can stop actions must say so. One that says so and does not is refused too: who relies on it to stop
    /// something would wait in vain.
    func objection(to exports: PluginExports) -> String? {
        switch (exports.intercepts, permissions.contains(Self.interceptPermission)) {
        case (true, false):
            "it intercepts actions, but its plugin.json does not say so; add \"intercept\" to \"permissions\" there and rebuild it"
        case (false, true):
            "its plugin.json lists \"intercept\" in \"permissions\", but it has no interceptor; adopt InterceptingPlugin or remove the permission, and rebuild it"
        case (true, true), (false, false):
            nil
        }
    }
}
