// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSupport

/// What a new plugin is called: as a Swift type, a module and a folder, and with the id that follows from it.
package struct PluginName: Equatable, Sendable {
    /// The name of type, module, library and folder, such as `RateLimiter`.
    package let type: String
    /// The plugin's id, such as `rate-limiter`.
    package let id: String

    /// The longest name.
    private static let limit = 64

    /// Names that Swift, the SDK or the tests of a plugin use, so that code would mean those.
    private static let taken: Set<String> = [
        "Action", "Any", "AnyAction", "AnyInterceptor", "AnyMiddleware", "Bool", "Codable", "Context",
        "Double",
        "Effect", "Foundation", "Gatehouse", "GatehouseManifest", "GatehouseSDK", "GatehouseTesting",
        "GatehouseValue", "Glibc", "Host", "Int", "InterceptingPlugin", "MigratingPlugin", "Package",
        "PackageDescription", "Plugin", "PluginAction", "PluginSettings", "Protocol", "Reader", "Reducer",
        "SDK",
        "Self", "Sendable", "Settings", "State", "Store", "String", "Suas", "Suite", "Swift", "Test",
        "TestStore",
        "Testing", "Type", "Value", "XCTest",
    ]

    /// The name that a text is.
    ///
    /// - Throws: `PluginNameError` for what is no name of a Swift type, or one that is taken.
    package init(_ text: String) throws(PluginNameError) {
        guard Self.isName(text) else { throw .form(found: text, suggestion: Self.suggestion(for: text)) }
        guard text.utf8.count <= Self.limit else { throw .length(found: text.utf8.count, limit: Self.limit) }
        guard !Self.taken.contains(text) else { throw .taken(text) }
        type = text
        id = Self.words(of: text).joined(separator: "-")
    }

    /// Whether a text is an upper-case letter and then letters and digits, all of them ASCII's.
    private static func isName(_ text: String) -> Bool {
        text.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
    }

    /// The name that somebody probably meant with `rate-limiter` or `plugins/RateLimiter`; nil for none.
    private static func suggestion(for text: String) -> String? {
        let last = text.split(separator: "/").last ?? ""
        let words = last.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return isName(name) && !taken.contains(name) ? name : nil
    }

    /// The words of a name in lower case: a new one begins where upper case follows lower case, and with the last letter of
    /// an abbreviation that lower case follows, so that `HTTPServer2` is `http` and `server2`.
    private static func words(of name: String) -> [String] {
        let characters = Array(name)
        var words: [String] = []
        for (index, character) in characters.enumerated() {
            let follows = index > 0 && !characters[index - 1].isUppercase
            let leads = index + 1 < characters.count && characters[index + 1].isLowercase
            if character.isUppercase, follows || leads || words.isEmpty { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
        return words
    }
}

/// Why a text is no name for a plugin.
package enum PluginNameError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is not an upper-case letter with letters and digits after it; what was probably meant.
    case form(found: String, suggestion: String?)
    /// It has too many characters.
    case length(found: Int, limit: Int)
    /// A module or type that plugins use is called that.
    case taken(String)

    package var description: String {
        switch self {
        case .form(let found, let suggestion):
            "expected the name of a Swift type such as RateLimiter, with an upper-case letter first, followed by letters and digits, found \(Quotation.of(found))"
                + (suggestion.map { "; did you mean \(Quotation.of($0))?" } ?? "")
        case .length(let found, let limit):
            "expected a name of at most \(limit) characters, found \(found)"
        case .taken(let name):
            "a module or type that plugins use is called \(name); choose another name, such as My\(name)"
        }
    }
}
