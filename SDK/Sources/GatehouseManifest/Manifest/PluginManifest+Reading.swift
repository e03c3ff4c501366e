// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

extension PluginManifest {
    /// Reads and checks the text of a `plugin.json`.
    ///
    /// `emits`, `settings` and `permissions` may be left out; unknown keys are errors.
    ///
    /// - Throws: `ManifestError` with every problem of the text.
    public init(parsing text: [UInt8]) throws(ManifestError) {
        self = try Self.parsingLocated(text).manifest
    }

    /// Reads and checks the text of a `plugin.json`, and tells where the principal stands in it.
    ///
    /// - Throws: `ManifestError` with every problem of the text.
    public static func parsingLocated(
        _ text: [UInt8]
    ) throws(ManifestError) -> (manifest: PluginManifest, principal: TextPosition) {
        let log = LocatedLog()
        guard let document = LocatedNode(parsing: text, log: log),
            let object = document.object(named: "the manifest")
        else { throw ManifestError(log.problems) }
        object.reportUnknownKeys(knowing: keys)
        let manifest = PluginManifest(object)
        guard let manifest, log.problems.isEmpty else { throw ManifestError(log.problems) }
        return (manifest, object["principal"]?.value.position ?? document.value.position)
    }

    /// Reads the members of a manifest and notes what is wrong with them.
    ///
    /// - Returns: nil only after noting a problem; after noting a problem the value may be incomplete.
    init?(_ object: LocatedObject) {
        let id = Self.id(object)
        let version = Self.version(object)
        let summary = Self.summary(object)
        let principal = Self.principal(object)
        let consumes = object.required("consumes", as: "an array of type names", example: #"["hello"]"#)
            .map { Self.typeNames(in: $0) }
        let emits = object["emits"].map { Self.typeNames(in: $0) }
        let settings = Self.settings(object)
        let permissions = Self.permissions(object)
        guard let id, let version, let summary, let principal, let consumes else { return nil }
        self.init(
            id: id, version: version, summary: summary, principal: principal, consumes: consumes,
            emits: emits ?? [], settings: settings, permissions: permissions)
    }

    /// Reads the name of the plugin.
    private static func id(_ object: LocatedObject) -> String? {
        let expected = "lower-case letters, digits and hyphens, starting with a letter"
        guard let (text, node) = object.string("id", as: expected, example: #""my-plugin""#) else {
            return nil
        }
        if isID(text) { return text }
        // Capitals, blanks and underscores are the usual slips; what is left wrong is up to the author.
        let repaired = String(text.lowercased().map { $0 == " " || $0 == "_" || $0 == "." ? "-" : $0 })
        node.report(
            expecting: expected,
            advice:
                "write \"\(isID(repaired) ? repaired : "my-plugin")\"\(isID(repaired) ? "" : " or the like")")
        return nil
    }

    /// Tells whether a text follows the grammar of `id`.
    public static func isID(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
    }

    /// Reads the version.
    private static func version(_ object: LocatedObject) -> SemanticVersion? {
        let expected = "a semantic version"
        guard let (text, node) = object.string("version", as: expected, example: #""1.0.0""#) else {
            return nil
        }
        if let version = SemanticVersion(text) { return version }
        node.report(
            expecting: expected,
            advice: "write three numbers as in \"1.0.0\" or \"1.0.0-beta.1\"")
        return nil
    }

    /// Reads what the plugin does.
    private static func summary(_ object: LocatedObject) -> String? {
        let expected = "one line of text"
        let example = #""what the plugin does""#
        guard let (text, node) = object.string("summary", as: expected, example: example) else { return nil }
        if text.contains(where: { !$0.isWhitespace }), !text.contains(where: \.isNewline) { return text }
        node.report(expecting: expected, advice: "write \"summary\": \(example)")
        return nil
    }

    /// Reads the name of the principal type.
    private static func principal(_ object: LocatedObject) -> String? {
        let expected = "the name of a Swift type"
        guard let (text, node) = object.string("principal", as: expected, example: #""MyPlugin""#) else {
            return nil
        }
        if text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isIdentifier) {
            return text
        }
        node.report(
            expecting: expected,
            advice: "write the type that conforms to Plugin, as in \"MyPlugin\" or \"Outer.MyPlugin\"")
        return nil
    }

    /// Tells whether a text is spelled like a Swift identifier without backticks.
    private static func isIdentifier(_ text: Substring) -> Bool {
        func starts(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || (scalar.isASCII ? scalar.properties.isAlphabetic : scalar.properties.isXIDStart)
        }
        guard let first = text.unicodeScalars.first, starts(first) else { return false }
        return text.unicodeScalars.allSatisfy { starts($0) || $0.properties.isXIDContinue }
    }

    /// Reads action type names and notes each that breaks a rule.
    private static func typeNames(in list: LocatedNode) -> [String] {
        let example = #"["hello", "order-*"]"#
        var names: [String] = []
        var seen: Set<String> = []
        for (name, node) in list.strings(each: "a type name", example: example) {
            if name.isEmpty {
                node.report(expecting: "a type name", advice: "name a type or remove the element")
            } else if name.dropLast().contains("*") {
                node.report(
                    expecting: "* only as the last character",
                    advice: "end the name at its first *, or name the types one by one")
            } else if name.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 }) {
                node.report(expecting: "a type name without blanks", advice: "remove the blanks")
            } else if name.hasPrefix("host/") {
                node.report(
                    expecting: "a type of the plugin's own",
                    advice: "remove it, the operator grants actions of the host")
            } else if !seen.insert(name).inserted {
                node.report(
                    expecting: "each type name once", found: "\"\(name)\" again",
                    advice: "remove one of them")
            } else {
                names.append(name)
            }
        }
        return names
    }

    /// Reads the schema of the settings, which must be one that is checked.
    private static func settings(_ object: LocatedObject) -> Value? {
        guard let node = object["settings"] else { return nil }
        guard case .object = node.value.content else {
            node.report(
                expecting: "a JSON Schema, which is an object",
                advice: #"write "settings": { "type": "object" }"#)
            return nil
        }
        SchemaReader(root: node.value.value).read(node)
        return node.value.value
    }

    /// Reads what the operator must grant.
    private static func permissions(_ object: LocatedObject) -> [String] {
        guard let list = object["permissions"] else { return [] }
        var names: [String] = []
        var seen: Set<String> = []
        for (name, node) in list.strings(each: "the name of a permission", example: #"["network"]"#) {
            if name.isEmpty {
                node.report(
                    expecting: "the name of a permission",
                    advice: "name a permission or remove the element")
            } else if !seen.insert(name).inserted {
                node.report(
                    expecting: "each permission once", found: "\"\(name)\" again",
                    advice: "remove one of them")
            } else {
                names.append(name)
            }
        }
        return names
    }
}
