// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

extension PluginManifest {
    /// Reads and checks the text of a `plugin.json`.
    ///
    /// `emits`, `narrows`, `settings`, `permissions`, `scope`, `onQuarantine`, `onInterruption` and `discovery` are optional;
    /// unknown keys are errors.
    ///
    /// - Throws: `ManifestError` with every problem of the text.
    public init(parsing text: [UInt8]) throws(ManifestError) { self = try Self.parsingLocated(text).manifest }

    /// Reads and checks the text of a `plugin.json`, and locates the principal in it.
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
        let manifest = PluginManifest(object, isForeign: false)
        guard let manifest, log.problems.isEmpty else { throw ManifestError(log.problems) }
        return (manifest, object["principal"]?.value.position ?? document.value.position)
    }

    /// Reads the members of a manifest and reports their problems.
    ///
    /// - Parameter isForeign: whether it belongs to a foreign plugin, which has no principal.
    /// - Returns: nil only after reporting a problem; after reporting a problem the value may be incomplete.
    init?(_ object: LocatedObject, isForeign: Bool) {
        let id = object.text(
            "id", as: "lower-case letters, digits and hyphens, starting with a letter",
            example: #""my-plugin""#, advice: Self.repair
        ) { Self.isID($0) ? $0 : nil }
        let version = object.text(
            "version", as: "a semantic version", example: #""1.0.0""#,
            advice: { _ in "write three numbers as in \"1.0.0\" or \"1.0.0-beta.1\"" }, SemanticVersion.init)
        let summary = object.text(
            "summary", as: "one line of text", example: #""what the plugin does""#,
            advice: { _ in #"write "summary": "what the plugin does""# }
        ) { $0.contains { !$0.isWhitespace } && !$0.contains(where: \.isNewline) ? $0 : nil }
        let principal = isForeign ? nil : Self.principal(object)
        let consumes = object.required("consumes", as: "an array of type names", example: #"["hello"]"#)
            .map(Self.typeNames)
        let emits = object["emits"].map(Self.typeNames)
        let settings = Self.settings(object)
        let narrows = Self.narrows(object, consumes: consumes ?? [], emits: emits ?? [], settings)
        let permissions = object["permissions"].map {
            Self.names(in: $0, "permission", each: "the name of a permission", example: #"["network"]"#)
        }
        let scope = Self.word(in: object["scope"], absent: PluginScope.partition)
        let onQuarantine = Self.onQuarantine(object, intercepts: permissions?.contains("intercept") == true)
        let onInterruption = Self.word(in: object["onInterruption"], absent: InterruptedEffect.again)
        let discovery = Self.word(in: object["discovery"], absent: PluginDiscovery.always)
        guard let id, let version, let summary, principal != nil || isForeign, let consumes else {
            return nil
        }
        self.init(
            id: id, version: version, summary: summary, principal: principal, consumes: consumes,
            emits: emits ?? [], settings: settings, permissions: permissions ?? [])
        self.narrows = narrows
        self.scope = scope ?? self.scope
        self.onQuarantine = onQuarantine
        self.onInterruption = onInterruption
        self.discovery = discovery ?? self.discovery
    }

    /// Reads the name of the Swift type.
    private static func principal(_ object: LocatedObject) -> String? {
        object.text(
            "principal", as: "the name of a Swift type", example: #""MyPlugin""#,
            advice: { _ in
                "write the type that conforms to Plugin, as in \"MyPlugin\" or \"Outer.MyPlugin\""
            }
        ) {
            $0.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isIdentifier) ? $0 : nil
        }
    }

    /// Returns the advice for a wrong `id`.
    private static func repair(_ text: String) -> String {
        // Capitals, blanks and underscores are the usual slips; the author corrects the rest.
        let repaired = String(text.lowercased().map { $0 == " " || $0 == "_" || $0 == "." ? "-" : $0 })
        return isID(repaired) ? "write \"\(repaired)\"" : "write \"my-plugin\" or the like"
    }

    /// Returns whether a text follows the grammar of `id`.
    public static func isID(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
            return false
        }
        return text.utf8.allSatisfy("abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains)
    }

    /// Returns whether a text is spelled like a Swift identifier without backticks.
    private static func isIdentifier(_ text: Substring) -> Bool {
        func starts(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "_" || (scalar.isASCII ? scalar.properties.isAlphabetic : scalar.properties.isXIDStart)
        }
        guard let first = text.unicodeScalars.first, starts(first) else { return false }
        return text.unicodeScalars.allSatisfy { starts($0) || $0.properties.isXIDContinue }
    }

    /// Reads action type names and reports each that breaks a rule.
    private static func typeNames(in list: LocatedNode) -> [String] {
        names(in: list, "type name", each: "a type name", example: #"["hello", "order-*"]"#) { name in
            if name.dropLast().contains("*") {
                ("* only as the last character", "end the name at its first *, or name the types one by one")
            } else if name.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 }) {
                ("a type name without blanks", "remove the blanks")
            } else if name.hasPrefix("host/") {
                ("a type of the plugin's own", "remove it, the operator grants actions of the host")
            } else {
                nil
            }
        }
    }

    /// Reads names, each allowed once; `objection` returns what to expect instead of a name, and advice.
    private static func names(
        in list: LocatedNode, _ noun: String, each expected: String, example: String,
        objection: (String) -> (expected: String, advice: String)? = { _ in nil }
    ) -> [String] {
        var seen: Set<String> = []
        return list.strings(each: expected, example: example).compactMap { name, node in
            if name.isEmpty {
                let word = noun.split(separator: " ")[0]
                node.report(expecting: expected, advice: "name a \(word) or remove the element")
            } else if let (expected, advice) = objection(name) {
                node.report(expecting: expected, advice: advice)
            } else if !seen.insert(name).inserted {
                node.report(
                    expecting: "each \(noun) once", found: "\"\(name)\" again", advice: "remove one of them")
            } else {
                return name
            }
            return nil
        }
    }

    /// Reads what happens to actions during quarantine; nil if that is not written, or was reported as wrong.
    private static func onQuarantine(_ object: LocatedObject, intercepts: Bool) -> QuarantinedInterception? {
        guard let node = object["onQuarantine"] else { return nil }
        let read: QuarantinedInterception? = word(in: node)
        guard read == nil || intercepts else {
            node.reportKey(
                "it says nothing without \"intercept\" in \"permissions\"; add that, or remove \"onQuarantine\""
            )
            return nil
        }
        return read
    }

    /// Reads the lists in which settings replace `*`; reports impossible ones.
    private static func narrows(
        _ object: LocatedObject, consumes: [String], emits: [String], _ settings: Value?
    ) -> Set<NarrowedNames> {
        guard let node = object["narrows"] else { return [] }
        var narrows: Set<NarrowedNames> = []
        for element in node.strings(each: NarrowedNames.choice, example: #"["consumes"]"#).map(\.1) {
            guard let names: NarrowedNames = word(in: element) else { continue }
            let (declared, mark) = names == .consumes ? (consumes, "hears") : (emits, "emits")
            if !declared.contains("*") {
                element.reportKey(
                    "there is no \"*\" in \"\(names.rawValue)\" that settings could stand for; add it there, or remove \"\(names.rawValue)\" here"
                )
            } else if settings.map({ marks(mark, in: $0) }) != true {
                element.reportKey(
                    "no place of \"settings\" has \"x-action\": \"\(mark)\"; mark those that name action types, or remove \"\(names.rawValue)\" here"
                )
            } else {
                narrows.insert(names)
            }
        }
        return narrows
    }

    /// Returns whether a schema has a mark anywhere.
    private static func marks(_ word: String, in schema: Value) -> Bool {
        switch schema {
        case .object(let members):
            members["x-action"]?.stringValue == word || members.contains { marks(word, in: $0.value) }
        case .array(let elements): elements.contains { marks(word, in: $0) }
        default: false
        }
    }

    /// Reads one of a few words; nil if it is not written, which means `absent`, or after reporting a problem.
    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        in node: LocatedNode?, absent: Word? = nil
    ) -> Word? {
        guard let node else { return nil }
        var near: String?
        if case .string(let text) = node.value.content {
            if let word = Word(rawValue: text) { return word }
            near = NearMiss.suggestion(for: text, among: Word.allCases.map(\.rawValue))
        }
        let advice = "choose one of them" + (absent.map { ", or remove it for \"\($0.rawValue)\"" } ?? "")
        node.report(expecting: Word.choice, advice: near.map { "write \"\($0)\"" } ?? advice)
        return nil
    }

    /// Reads the schema of the settings; reports keywords that are not checked.
    private static func settings(_ object: LocatedObject) -> Value? {
        guard let node = object["settings"] else { return nil }
        guard case .object = node.value.content else {
            node.report(
                expecting: "a JSON Schema, which is an object",
                advice: #"write "settings": { "type": "object" }"#)
            return nil
        }
        SchemaReader(root: node.value.value, asksForWords: true).read(node)
        return node.value.value
    }
}
