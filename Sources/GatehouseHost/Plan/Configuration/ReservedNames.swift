// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// The names that belong to the host itself: the id `host`, the types below `host/` and the slice `/host`.
public enum ReservedNames {
    /// The id that no instance may have, since its default slice and prefix would be the host's.
    public static let identifier = "host"
    /// The beginning of every host action's type.
    public static let typePrefix = "host/"
    /// The slice in which the host reports.
    public static let slice = JSONPointer(tokens: [identifier])
}
