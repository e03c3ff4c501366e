// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest

/// What is special about the names of host actions.
extension TypePattern {
    /// Whether the pattern names host actions: only one that spells out `host/` does.
    public var isForHost: Bool { stem.utf8.starts(with: ReservedNames.typePrefix.utf8) }

    /// Whether a global type is covered; one below `host/` only by a pattern that spells out `host/`.
    ///
    /// Linear in the stem's length.
    public func matches(_ type: String) -> Bool {
        covers(type) && (!isOpen || isForHost || !type.utf8.starts(with: ReservedNames.typePrefix.utf8))
    }
}
