// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// The texts with a grammar of their own.
extension LocatedNode {
    /// A text that is not empty.
    package func name() -> String? {
        guard let text = string() else { return nil }
        return text.isEmpty ? fail(Self.emptyName) : text
    }

    /// What to say of an empty text where a name belongs.
    static var emptyName: String { "expected a name, found \"\"; write the name or remove the place for it" }

    /// An instance id that does not belong to the host.
    package func identifier() -> String? {
        guard let text = name() else { return nil }
        guard PluginManifest.isID(text) else {
            return fail(
                expected: "lower-case letters, digits and \"-\" with a letter first",
                advice: "rename the instance")
        }
        guard text != ReservedNames.identifier else {
            return fail("the id \(Quotation.of(text)) belongs to the host; rename the instance")
        }
        return text
    }

    /// What operators call a host or a cluster.
    func hostName() -> String? {
        guard let text = string() else { return nil }
        guard HostName.isName(text) else {
            return fail(
                "expected at most 64 small letters, digits, \".\", \"_\" and \"-\", found \(Quotation.of(text)); write \(Quotation.of(HostName.cleaned(text)))"
            )
        }
        return text
    }

    /// A JSON Pointer; empty for the whole.
    func jsonPointer() -> JSONPointer? {
        guard let text = string() else { return nil }
        do {
            return try JSONPointer(text)
        } catch {
            return fail(
                expected: "a JSON Pointer such as \"/orders/eu\"",
                advice: text.utf8.first == UInt8(ascii: "/")
                    ? "write \"~0\" for a \"~\" in a name" : "begin it with \"/\"")
        }
    }

    /// The path of a folder.
    package func folder() -> String? {
        path("the path of a folder", advice: "write \".\" for the folder of this file")
    }

    /// The path of a file.
    func filePath() -> String? { path("the path of a file", advice: "write one, or remove the key") }

    /// The path of a folder, from the root on.
    func wholePath() -> String? {
        text("a path that begins with a slash", advice: "write the whole path of a folder") {
            $0.hasPrefix("/") && !$0.utf8.contains(0)
        }
    }

    /// A connection, or a socket that listens, that is granted.
    func networkGrant() -> NetworkGrant? {
        guard let text = string() else { return nil }
        if let grant = NetworkGrant(text) { return grant }
        return text.hasPrefix(ListeningGrant.word)
            ? fail(
                expected: "\"listen:ADDRESS:PORT\"",
                advice:
                    "write an address of this machine in numbers, one of IPv6 in brackets, and a port from 1 to 65535, as in \"listen:127.0.0.1:8080\""
            )
            : fail(
                expected: "\"connect:HOST:PORT\" or \"listen:ADDRESS:PORT\"",
                advice:
                    "write a name or an address, one of IPv6 in brackets, and a port, as in \"connect:api.example.com:443\""
            )
    }

    /// A text that can be a path.
    private func path(_ expected: String, advice: String) -> String? {
        text(expected, advice: advice) { !$0.isEmpty && !$0.utf8.contains(0) }
    }

    /// The name of a file in a folder that is given elsewhere.
    package func fileName() -> String? {
        text("a file name", advice: "put the library into the plugin folder and name it without a path") {
            !["", ".", ".."].contains($0) && !$0.utf8.contains { [0, UInt8(ascii: "/")].contains($0) }
        }
    }

    /// A SHA-256 digest, in lower case whatever case it is written in.
    package func digest() -> String? {
        text("64 hexadecimal digits", advice: "copy what sha256sum prints for the library") {
            $0.utf8.count == 64 && $0.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit)
        }?.lowercased()
    }

    /// A text that is as expected.
    func text(_ expected: String, advice: String, where isFit: (String) -> Bool) -> String? {
        guard let text = string() else { return nil }
        return isFit(text) ? text : fail(expected: expected, advice: advice)
    }

    /// An action type or a pattern of several.
    package func pattern() -> TypePattern? {
        guard let text = name() else { return nil }
        return TypePattern(text) ?? fail(Self.invalidPattern(text))
    }

    /// What to say of a name with a `*` that is not at its end.
    static func invalidPattern(_ text: String) -> String {
        "expected a name with \"*\" nowhere but at its end, found \(Quotation.of(text)); list several names instead"
    }

    /// One action type that does not belong to the host.
    func actionType() -> String? {
        guard let pattern = pattern() else { return nil }
        guard !pattern.isOpen else { return fail(Self.openType(pattern)) }
        guard !pattern.isForHost else { return fail(Self.reservedType(pattern.stem)) }
        return pattern.stem
    }

    /// What to say of a pattern where one type belongs.
    static func openType(_ pattern: TypePattern) -> String {
        "expected one action type, found the pattern \(Quotation.of("\(pattern)")); write the type without \"*\""
    }

    /// What to say of a host action's type where none may stand.
    static func reservedType(_ text: String) -> String {
        "types below \"host/\" belong to the host, found \(Quotation.of(text)); choose another name, only \"allow\" may list host actions"
    }

    /// What to say of a slice that holds, or lies in, the host's.
    package static func reservedSlice(_ slice: JSONPointer) -> String {
        "the slice \"/host\" belongs to the host, found \(Quotation.of("\(slice)")); choose a place outside it"
    }
}
