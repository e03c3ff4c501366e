// SPDX-License-Identifier: Apache-2.0

/// One name that a library offers to others or asks others for.
public struct DynamicSymbol: Hashable, Sendable {
    /// What a name stands for; unknown numbers are kept.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number as written in the file; the corresponding field is the lower half of `st_info`.
        public let rawValue: UInt8

        /// Wraps any number, known or not.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Unknown or of no matter; the corresponding C constant is `STT_NOTYPE`.
        public static let unspecified = Kind(rawValue: 0)
        /// A variable; the corresponding C constant is `STT_OBJECT`.
        public static let variable = Kind(rawValue: 1)
        /// A function; the corresponding C constant is `STT_FUNC`.
        public static let function = Kind(rawValue: 2)
        /// A thread-local variable; the corresponding C constant is `STT_TLS`.
        public static let threadLocal = Kind(rawValue: 6)
        /// A function that finds the function to use; the corresponding C constant is `STT_GNU_IFUNC`.
        public static let indirectFunction = Kind(rawValue: 10)
    }

    /// The name as linked, mangled and without a version.
    public let name: String
    /// What it stands for.
    public let kind: Kind
    /// Whether the library holds the thing itself; otherwise it must be found elsewhere while loading.
    public var isDefined: Bool { section != 0 }
    /// Whether loading goes on when the name is found nowhere.
    public let isWeak: Bool
    /// Whether other libraries can see it: neither local nor hidden.
    public let isExported: Bool
    /// The address, or the offset in the template of thread-local storage.
    let value: UInt64
    /// The section that holds it: 0 for none, 0xfff1 for a plain number.
    let section: UInt16
    /// Its place in the symbol table.
    let index: UInt64

    /// The size of one entry of the symbol table, in bytes.
    static let size: UInt64 = 24
}
