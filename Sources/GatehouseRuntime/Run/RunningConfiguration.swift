// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// What the start and the looks at a configuration since have left for the next look and for the status; touched in the drain.
package struct RunningConfiguration {
    /// What the configuration of the running generation says about the state at the start.
    package var state: Value
    /// What is mapped; nil for plugins that are linked in.
    package var images: MappedImages?
    /// What became of the last reload; nil before the first.
    package var lastReload: Value?
    /// Why the last good generation runs in the place of the one that the configuration describes; nil where that one runs.
    package var degraded: String?
}
