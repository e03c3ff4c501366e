// SPDX-License-Identifier: Apache-2.0

/// One name that a library offers to others or asks others for.
public struct DynamicSymbol: Hashable, Sendable {
    /// The name as linked, mangled and without a version.
    public let name: String
    /// Whether the library holds the thing itself; otherwise it must be found elsewhere while loading.
    public let isDefined: Bool
    /// Whether loading goes on when the name is found nowhere.
    public let isWeak: Bool

    /// The size of one entry of the symbol table, in bytes.
    static let size: UInt64 = 24
}
