// SPDX-License-Identifier: Apache-2.0

/// The name of the one C function that a plugin exports.
///
/// It contains the plugin's module name, because all test targets of a package are linked into one image, where two
/// functions of one name would collide.
public struct EntryName: Hashable, Sendable {
    /// The prefix of the module name; its number changes with the signature of the entry.
    public static let prefix = "gatehouse_plugin_v1_"

    /// The prefix of the foreign contract's number, in the entry of a plugin in another language.
    public static let foreignPrefix = "gatehouse_foreign_v"

    /// The whole symbol name.
    public let symbol: String

    /// Names the entry of a Swift module.
    ///
    /// - Parameter module: the target's name; characters that C does not allow in names become underscores, as
    ///   SwiftPM does when it turns a target's name into a module name.
    public init(module: String) {
        symbol = Self.prefix + String(String.UnicodeScalarView(module.unicodeScalars.map(Self.allowed)))
    }

    /// Takes a symbol name from a note; nil if it does not name an entry.
    public init?(symbol: String) {
        guard symbol.hasPrefix(Self.prefix), symbol.utf8.count > Self.prefix.utf8.count,
            symbol.unicodeScalars.allSatisfy({ Self.allowed($0) == $0 })
        else { return nil }
        self.symbol = symbol
    }

    /// Takes the symbol name of a foreign plugin from a note; nil if it does not name an entry.
    ///
    /// The name of the contract is enough; a suffix after an underscore distinguishes plugins of one program.
    ///
    /// - Parameters:
    ///   - symbol: the name in the note.
    ///   - abi: the number of the foreign contract.
    public init?(foreign symbol: String, abi: UInt32) {
        let name = Self.foreignPrefix + "\(abi)"
        guard symbol == name || symbol.hasPrefix(name + "_"),
            symbol.unicodeScalars.allSatisfy({ Self.allowed($0) == $0 })
        else { return nil }
        self.symbol = symbol
    }

    /// Returns the scalar itself if C allows it in a name, otherwise an underscore.
    private static func allowed(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ScalarSet.wordCharacters.contains(scalar) ? scalar : "_"
    }
}

extension EntryName: CustomStringConvertible {
    /// The name of the exported symbol.
    public var description: String { symbol }
}
