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
        let document: LocatedValue
        do {
            document = try JSONText.parseLocated(text)
        } catch {
            throw ManifestError([ManifestProblem(error)])
        }
        var reader = try MemberReader(document, name: "the manifest")
        reader.reportUnknownKeys(knowing: keys)
        let manifest = PluginManifest(&reader)
        guard let manifest, reader.problems.isEmpty else { throw ManifestError(reader.problems) }
        return (manifest, reader.optional("principal")?.position ?? document.position)
    }

    /// Reads the members of a manifest and notes what is wrong with them.
    ///
    /// - Returns: nil only after noting a problem; after noting a problem the value may be incomplete.
    init?(_ reader: inout MemberReader) {
        let id = Self.id(&reader)
        let version = Self.version(&reader)
        let summary = Self.summary(&reader)
        let principal = Self.principal(&reader)
        let consumes = reader.required("consumes", as: "an array of type names", example: #"["hello"]"#)
            .map { Self.typeNames(in: $0, key: "consumes", &reader) }
        let emits = reader.optional("emits").map { Self.typeNames(in: $0, key: "emits", &reader) }
        let settings = Self.settings(&reader)
        let permissions = Self.permissions(&reader)
        guard let id, let version, let summary, let principal, let consumes else { return nil }
        self.init(
            id: id, version: version, summary: summary, principal: principal, consumes: consumes,
            emits: emits ?? [], settings: settings, permissions: permissions)
    }

    /// Reads the name of the plugin.
    private static func id(_ reader: inout MemberReader) -> String? {
        let expected = "lower-case letters, digits and hyphens, starting with a letter"
        guard let (text, value) = reader.string("id", as: expected, example: #""my-plugin""#) else {
            return nil
        }
        if isID(text) { return text }
        // Capitals, blanks and underscores are the usual slips; what is left wrong is up to the author.
        let repaired = String(text.lowercased().map { $0 == " " || $0 == "_" || $0 == "." ? "-" : $0 })
        reader.report(
            value, key: "id", expected: expected,
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
    private static func version(_ reader: inout MemberReader) -> SemanticVersion? {
        let expected = "a semantic version"
        guard let (text, value) = reader.string("version", as: expected, example: #""1.0.0""#) else {
            return nil
        }
        if let version = SemanticVersion(text) { return version }
        reader.report(
            value, key: "version", expected: expected,
            advice: "write three numbers as in \"1.0.0\" or \"1.0.0-beta.1\"")
        return nil
    }

    /// Reads what the plugin does.
    private static func summary(_ reader: inout MemberReader) -> String? {
        let expected = "one line of text"
        let example = #""what the plugin does""#
        guard let (text, value) = reader.string("summary", as: expected, example: example) else { return nil }
        if text.contains(where: { !$0.isWhitespace }), !text.contains(where: \.isNewline) { return text }
        reader.report(value, key: "summary", expected: expected, advice: "write \"summary\": \(example)")
        return nil
    }

    /// Reads the name of the principal type.
    private static func principal(_ reader: inout MemberReader) -> String? {
        let expected = "the name of a Swift type"
        guard let (text, value) = reader.string("principal", as: expected, example: #""MyPlugin""#) else {
            return nil
        }
        if text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isIdentifier) {
            return text
        }
        reader.report(
            value, key: "principal", expected: expected,
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
    private static func typeNames(
        in list: LocatedValue, key: String, _ reader: inout MemberReader
    ) -> [String] {
        let example = #"["hello", "order-*"]"#
        var names: [String] = []
        var seen: Set<String> = []
        for (name, place, value) in reader.strings(in: list, key: key, each: "a type name", example: example)
        {
            if name.isEmpty {
                reader.report(
                    value, key: place, expected: "a type name", advice: "name a type or remove the element")
            } else if name.dropLast().contains("*") {
                reader.report(
                    value, key: place, expected: "* only as the last character",
                    advice: "end the name at its first *, or name the types one by one")
            } else if name.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 }) {
                reader.report(
                    value, key: place, expected: "a type name without blanks", advice: "remove the blanks")
            } else if name.hasPrefix("host/") {
                reader.report(
                    value, key: place, expected: "a type of the plugin's own",
                    advice: "remove it, the operator grants actions of the host")
            } else if !seen.insert(name).inserted {
                reader.report(
                    value, key: place, expected: "each type name once", found: "\"\(name)\" again",
                    advice: "remove one of them")
            } else {
                names.append(name)
            }
        }
        return names
    }

    /// Reads the schema of the settings, which must be one that is checked.
    private static func settings(_ reader: inout MemberReader) -> Value? {
        guard let value = reader.optional("settings") else { return nil }
        guard case .object = value.content else {
            reader.report(
                value, key: "settings", expected: "a JSON Schema, which is an object",
                advice: #"write "settings": { "type": "object" }"#)
            return nil
        }
        reader.adopt(Schema.problems(in: value, key: reader.path(of: "settings")))
        return value.value
    }

    /// Reads what the operator must grant.
    private static func permissions(_ reader: inout MemberReader) -> [String] {
        guard let list = reader.optional("permissions") else { return [] }
        var names: [String] = []
        var seen: Set<String> = []
        let elements = reader.strings(
            in: list, key: "permissions", each: "the name of a permission", example: #"["network"]"#)
        for (name, place, value) in elements {
            if name.isEmpty {
                reader.report(
                    value, key: place, expected: "the name of a permission",
                    advice: "name a permission or remove the element")
            } else if !seen.insert(name).inserted {
                reader.report(
                    value, key: place, expected: "each permission once", found: "\"\(name)\" again",
                    advice: "remove one of them")
            } else {
                names.append(name)
            }
        }
        return names
    }
}
