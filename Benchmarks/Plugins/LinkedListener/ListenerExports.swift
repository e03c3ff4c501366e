// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// The listener's exports, for a program that has it linked in.
public func listenerExports() -> PluginExports {
    PluginEntry.exports(of: Listener.self)
}
