// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
package import GatehousePlan
package import GatehouseSDK

/// How much of plugins' code is mapped, which it stays as long as the process lives.
package struct MappedImages: Equatable, Sendable {
    /// Images, each of other bytes.
    package let mapped: Int
    /// Those of them that no instance uses any more.
    package let retired: Int

    /// Counts what a cache has mapped, and instances use.
    package init(_ cache: ImageCache, usedBy instances: [PlannedInstance]) {
        mapped = cache.mappedCount
        retired = max(0, mapped - Set(instances.compactMap(\.digest)).count)
    }

    /// The numbers as members.
    package var value: Value { ["mapped": Value(mapped), "retired": Value(retired)] }
}
