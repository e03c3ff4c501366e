// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK

/// The action types that a host has seen, by all its generations; touched in the drain.
package final class SeenTypes {
    /// Types that an instance hears, or the host itself, as they were seen first.
    var heard = RecentNames()
    /// Types of input that nobody hears.
    var unheard = RecentNames()

    /// A memory in which no type was seen so far.
    init() {}

    /// The types of input that nobody hears, so far.
    ///
    /// - Parameter links: the chain, whose literal names may have been meant.
    func unheardTypes(among links: [ChainLink]) -> UnheardTypes {
        let literals = links.flatMap(\.names.heard).filter { !$0.global.isOpen }.map(\.global.stem)
        return UnheardTypes(
            unheard, heard: heard,
            literals: literals + links.flatMap(\.controls) + HostActions.all.map(\.name))
    }
}
