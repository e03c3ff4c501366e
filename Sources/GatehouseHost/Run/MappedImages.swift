// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK

/// How much of plugins' code is mapped, which it stays as long as the process lives.
public struct MappedImages: Equatable, Sendable {
    /// Images, each of other bytes.
    public let mapped: Int
    /// Those of them that no instance uses any more.
    public let retired: Int

    /// Counts what a cache has mapped, and instances use.
    init(_ cache: ImageCache, usedBy instances: [PlannedInstance]) {
        mapped = cache.mappedCount
        retired = max(0, mapped - Set(instances.compactMap(\.digest)).count)
    }

    /// The numbers as members.
    var value: Value { ["mapped": Value(mapped), "retired": Value(retired)] }
}
