// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin whose library defines a symbol of the SDK, as one does that has the SDK linked in.
struct SecondSDKCopy: Plugin {
    /// Never heard, since the plugin never starts.
    enum Action: PluginAction {
        /// An action about which nothing is done.
        case hello
    }

    static func middleware() -> Reader { .doNothing() }
}

/// Exported under the mangled name of the metadata accessor of the SDK's class `PluginExports`.
@_cdecl("$s12GatehouseSDK13PluginExportsCMa")
public func pluginExportsMetadata() {}
