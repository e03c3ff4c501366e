// SPDX-License-Identifier: Apache-2.0

/// The purpose of an ELF file: linking, running or loading.
///
/// The corresponding field of the ELF header is `e_type`; unknown numbers are kept.
package struct ELFType: RawRepresentable, Hashable, Sendable {
    /// The number as written in the file.
    package let rawValue: UInt16

    /// Wraps any number, known or not.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An object file; the corresponding C constant is `ET_REL`.
    static let relocatable = ELFType(rawValue: 1)
    /// A program at a fixed address; the corresponding C constant is `ET_EXEC`.
    static let executable = ELFType(rawValue: 2)
    /// A shared library or a position-independent program; the corresponding C constant is `ET_DYN`.
    static let sharedObject = ELFType(rawValue: 3)
    /// A memory dump; the corresponding C constant is `ET_CORE`.
    static let core = ELFType(rawValue: 4)
}

extension ELFType: CustomStringConvertible {
    /// The kind in words, with its article.
    package var description: String {
        switch self {
        case .relocatable, .executable: "an " + word
        case .sharedObject, .core: "a " + word
        default: "a file of " + word
        }
    }

    /// The kind in one or two words.
    var word: String {
        switch self {
        case .relocatable: "object file"
        case .executable: "executable"
        case .sharedObject: "shared object"
        case .core: "core dump"
        default: "type 0x" + String(rawValue, radix: 16)
        }
    }
}
