// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What the instances of one plugin have decoded, so that a payload is decoded once for all of them; used in the drain.
package final class SharedDecoding {
    /// By the exports of the plugin. An object of another plugin, which had the same address, is not taken: its type differs.
    private var byExports: [ObjectIdentifier: AnyObject] = [:]

    /// A memory in which no instance has left anything yet.
    init() {}

    /// What an earlier instance left, if there is one.
    subscript(exports: PluginExports) -> AnyObject? {
        get { byExports[ObjectIdentifier(exports)] }
        set { byExports[ObjectIdentifier(exports)] = newValue }
    }
}
