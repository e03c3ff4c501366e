// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue

/// The texts with a grammar of their own.
extension ConfigurationNode {
    /// A text that is not empty.
    func name() -> String? {
        guard let text = string() else { return nil }
        guard !text.isEmpty else { return fail(.emptyName) }
        return text
    }

    /// An instance id that does not belong to the host.
    func identifier() -> String? {
        guard let text = name() else { return nil }
        guard InstanceConfiguration.isValid(id: text) else { return fail(.invalidIdentifier(text)) }
        guard text != ReservedNames.identifier else { return fail(.reservedIdentifier(text)) }
        return text
    }

    /// A JSON Pointer; empty for the whole.
    func jsonPointer() -> JSONPointer? {
        guard let text = string() else { return nil }
        do {
            return try JSONPointer(text)
        } catch {
            return fail(.invalidPointer(text))
        }
    }

    /// The path of a folder.
    func folder() -> String? {
        guard let text = string() else { return nil }
        guard !text.isEmpty, !text.utf8.contains(0) else { return fail(.invalidFolder(text)) }
        return text
    }

    /// The name of a file in a folder that is given elsewhere.
    func fileName() -> String? {
        guard let text = string() else { return nil }
        let separators: [UInt8] = [0, UInt8(ascii: "/")]
        guard !["", ".", ".."].contains(text), !text.utf8.contains(where: separators.contains) else {
            return fail(.invalidFileName(text))
        }
        return text
    }

    /// A SHA-256 digest, in lower case whatever case it is written in.
    func digest() -> String? {
        guard let text = string() else { return nil }
        guard text.utf8.count == 64, text.utf8.allSatisfy(Self.isHexadecimal) else {
            return fail(.invalidDigest(text))
        }
        return text.lowercased()
    }

    /// An action type or a pattern of several.
    func pattern() -> TypePattern? {
        guard let text = name() else { return nil }
        guard let pattern = TypePattern(text) else { return fail(.invalidPattern(text)) }
        return pattern
    }

    /// One action type that does not belong to the host.
    func actionType() -> String? {
        guard let pattern = pattern() else { return nil }
        guard !pattern.isOpen else { return fail(.patternForType(pattern.description)) }
        guard !pattern.isForHost else { return fail(.reservedType(pattern.stem)) }
        return pattern.stem
    }

    /// Texts that are not empty, in the order written; those that are wrong are left out.
    func names() -> [String]? {
        elements(expected: .names)?.compactMap { $0.name() }
    }

    /// Whether a byte is an ASCII hexadecimal digit of either case.
    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default:
            false
        }
    }
}
