// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Checks that a value is a schema of the understood subset, and reports everything that is not.
struct SchemaReader {
    /// The whole schema, for references.
    let root: Value
    /// Whether a pattern needs words beside it for messages.
    let asksForWords: Bool

    /// Reads a schema: an object of keywords, or true or false.
    func read(_ schema: LocatedNode) {
        if case .bool = schema.value.content { return }
        guard let object = schema.object else {
            return schema.report(
                expected: "a schema, which is an object, true or false", advice: "write { \"type\": … }")
        }
        for (member, _) in object.repeated {
            member.reportKey("expected each key once, found it again; remove one of them")
        }
        for member in object.members {
            guard let keyword = SchemaKeyword(rawValue: member.key) else {
                let known = SchemaKeyword.allCases.map(\.rawValue)
                let suggestion = NearMiss.suggestion(for: member.key, among: known)
                member.reportKey(
                    "expected a keyword that is checked: \(known.joined(separator: ", ")), found one that is not; "
                        + (suggestion.map { "write \"\($0)\"" } ?? "remove it"))
                continue
            }
            // No message shows the content of "not"; its words stand beside it.
            let reader = keyword == .not ? SchemaReader(root: root, asksForWords: false) : self
            reader.read(member, of: keyword)
            if keyword == .pattern, asksForWords, object[SchemaKeyword.message.rawValue] == nil {
                askForWords(member)
            }
        }
    }

    /// Asks for the words of a pattern, which people are not shown; ignores one that is wrong.
    private func askForWords(_ pattern: LocatedNode) {
        guard case .string(let text) = pattern.value.content, (try? TextPattern(text)) != nil else { return }
        pattern.report(
            expected: "\"x-message\" beside it", found: "none",
            advice: "say there in words what is expected, such as \"a file name without slashes\"")
    }

    /// Reads the operand of a keyword.
    private func read(_ node: LocatedNode, of keyword: SchemaKeyword) {
        switch keyword {
        case .const, .default, .examples: break
        case .items, .additionalProperties, .propertyNames, .not: read(node)
        case .properties, .dependentSchemas, .definitions: members(node, "schemas by name").forEach(read)
        case .allOf, .anyOf, .oneOf: elements(node, "an array of schemas", least: 1).forEach(read)
        case .enum: _ = elements(node, "an array of values", least: 1)
        case .type: readKinds(node)
        case .required: readNames(node)
        case .dependentRequired: members(node, "arrays of keys by name").forEach(readNames)
        case .minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum:
            readNumber(node, "a number", advice: "write one without quotes") { $0.doubleValue != nil }
        case .multipleOf: readNumber(node, "a number above 0") { $0.doubleValue.map { $0 > 0 } }
        case .minLength, .maxLength, .minItems, .maxItems, .minProperties, .maxProperties:
            readNumber(node, "a whole number of at least 0") { $0.intValue.map { $0 >= 0 } }
        case .uniqueItems, .deprecated, .listens:
            guard case .bool = node.value.content else {
                return node.report(expected: "true or false", advice: "write it without quotes")
            }
        case .title, .description, .comment, .schema, .message: readText(node, "text")
        case .pattern: readPattern(node)
        case .reference: readPlace(node)
        case .action:
            readWord(
                of: SettingsAnswers.Role.self, node,
                advice: "say whether the types named there are heard or emitted, or that any may be emitted")
        case .file:
            readWord(
                of: SettingsFiles.Content.self, node,
                advice: "write that for the path of a file with a secret, or remove it")
        }
    }

    /// Reads the members of an object.
    private func members(_ node: LocatedNode, _ expected: String) -> [LocatedNode] {
        // Include repeated ones: of two schemas with one name the last counts.
        if let object = node.object { return object.members + object.repeated.map(\.member) }
        node.report(expected: "an object of \(expected)", advice: "write { \"…\": … }")
        return []
    }

    /// Reads the elements of an array.
    private func elements(_ node: LocatedNode, _ expected: String, least: Int = 0) -> [LocatedNode] {
        guard let elements = node.elements else {
            node.report(expected: expected, advice: "write […]")
            return []
        }
        if elements.count < least {
            node.report(expected: expected, found: "an empty one", advice: "add one or remove the key")
        }
        return elements
    }

    /// Reads an operand that must be a text.
    private func readText(_ node: LocatedNode, _ expected: String) {
        guard case .string = node.value.content else {
            return node.report(expected: expected, advice: "put it in double quotes")
        }
    }

    /// Reads one of a few words.
    private func readWord<Word: RawRepresentable<String> & CaseIterable>(
        of type: Word.Type, _ node: LocatedNode, advice: String
    ) {
        if case .string(let text) = node.value.content, Word(rawValue: text) != nil { return }
        node.report(expected: Word.choice, advice: advice)
    }

    /// Reads an array of texts.
    private func readNames(_ node: LocatedNode) {
        for element in elements(node, "an array of keys") { readText(element, "a key") }
    }

    /// Reads one name of a kind, or several.
    private func readKinds(_ node: LocatedNode) {
        let known = SchemaKind.allCases.map(\.rawValue)
        let expected = known.choice
        let kinds = node.elements?.map(\.value) ?? [node.value]
        if kinds.isEmpty { node.report(expected: expected, advice: "name one or remove the key") }
        for kind in kinds {
            // Reported at the keyword, also where one of several names is wrong.
            let kindNode = LocatedNode(kind, path: node.path, log: node.log)
            guard case .string(let name) = kind.content else {
                kindNode.report(expected: expected, advice: "write one of them in double quotes")
                continue
            }
            if SchemaKind(rawValue: name) != nil { continue }
            let suggestion = NearMiss.suggestion(for: name, among: known)
            kindNode.report(
                expected: expected, found: Value.string(name).json(),
                advice: suggestion.map { "write \"\($0)\"" } ?? "choose one of them")
        }
    }

    /// Reads a number that fits.
    private func readNumber(
        _ node: LocatedNode, _ expected: String, advice: String = "write one", fits: (Value) -> Bool?
    ) {
        if case .number(let number) = node.value.content, fits(number) == true { return }
        node.report(expected: expected, advice: advice)
    }

    /// Reads an operand that must be a regular expression.
    private func readPattern(_ node: LocatedNode) {
        guard case .string(let text) = node.value.content else { return readText(node, "a pattern") }
        do {
            _ = try TextPattern(text)
        } catch {
            node.report(expected: "a pattern", found: error.found, advice: error.advice)
        }
    }

    /// Reads a reference to a part of this schema.
    private func readPlace(_ node: LocatedNode) {
        if case .string(let text) = node.value.content, let target = Schema.target(of: text, in: root),
            target.objectValue != nil || target.boolValue != nil
        {
            return
        }
        node.report(
            expected: "a place in this schema, such as \"#/$defs/limit\"",
            advice: "define it under \"$defs\" and write # and its JSON Pointer")
    }
}
