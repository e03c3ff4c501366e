// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Looks whether a value is a schema of the understood subset, and notes everything that is not.
struct SchemaReader {
    /// What was found wrong so far.
    private(set) var problems: [ManifestProblem] = []
    /// The whole schema, for references.
    private let root: Value

    /// A reader of a whole schema; `key` is what stands before the keys in messages, such as `settings`.
    init(_ schema: LocatedValue, key: String) {
        root = schema.value
        read(schema, key)
    }

    /// Reads a schema: an object of keywords, or true or false.
    private mutating func read(_ schema: LocatedValue, _ key: String) {
        if case .bool = schema.content { return }
        guard case .object(let members) = schema.content else {
            return report(
                schema, key, expected: "a schema, which is an object, true or false",
                advice: "write { \"type\": … }")
        }
        var seen: Set<String> = []
        for member in members {
            let place = key + "." + member.key
            guard seen.insert(member.key).inserted else {
                problems.append(
                    ManifestProblem(
                        at: member.keyPosition, key: place, expected: "each key once", found: "it again",
                        advice: "remove one of them"))
                continue
            }
            guard let keyword = SchemaKeyword(rawValue: member.key) else {
                let known = SchemaKeyword.allCases.map(\.rawValue)
                let suggestion = NearMiss.suggestion(for: member.key, among: known)
                problems.append(
                    ManifestProblem(
                        at: member.keyPosition, key: place,
                        expected: "a keyword that is checked: \(known.joined(separator: ", "))",
                        found: "one that is not",
                        advice: suggestion.map { "write \"\($0)\"" } ?? "remove it"))
                continue
            }
            read(member.value, keyword.operand, place)
        }
    }

    /// Reads what a keyword takes.
    private mutating func read(_ value: LocatedValue, _ operand: SchemaKeyword.Operand, _ key: String) {
        switch operand {
        case .anything: break
        case .schema: read(value, key)
        case .schemasByName:
            guard let members = members(value, key, "schemas by name") else { return }
            for member in members { read(member.value, key + "." + member.key) }
        case .schemaList:
            guard let elements = elements(value, key, "an array of schemas", least: 1) else { return }
            for (index, element) in elements.enumerated() { read(element, "\(key)[\(index)]") }
        case .values: _ = elements(value, key, "an array of values", least: 1)
        case .kinds: readKinds(value, key)
        case .names: readNames(value, key)
        case .namesByName:
            guard let members = members(value, key, "arrays of keys by name") else { return }
            for member in members { readNames(member.value, key + "." + member.key) }
        case .number, .positiveNumber, .count: readNumber(value, operand, key)
        case .boolean:
            guard case .bool = value.content else {
                return report(value, key, expected: "true or false", advice: "write it without quotes")
            }
        case .text:
            guard case .string = value.content else {
                return report(value, key, expected: "text", advice: "put it in double quotes")
            }
        case .pattern: readPattern(value, key)
        case .place: readPlace(value, key)
        }
    }

    /// Reads the members of an object.
    private mutating func members(_ value: LocatedValue, _ key: String, _ expected: String)
        -> [LocatedMember]?
    {
        if case .object(let members) = value.content { return members }
        report(value, key, expected: "an object of \(expected)", advice: "write { \"…\": … }")
        return nil
    }

    /// Reads the elements of an array.
    private mutating func elements(
        _ value: LocatedValue, _ key: String, _ expected: String, least: Int = 0
    ) -> [LocatedValue]? {
        guard case .array(let elements) = value.content else {
            report(value, key, expected: expected, advice: "write […]")
            return nil
        }
        guard elements.count >= least else {
            report(value, key, expected: expected, found: "an empty one", advice: "add one or remove the key")
            return nil
        }
        return elements
    }

    /// Reads an array of texts.
    private mutating func readNames(_ value: LocatedValue, _ key: String) {
        for (index, element) in (elements(value, key, "an array of keys") ?? []).enumerated() {
            guard case .string = element.content else {
                report(element, "\(key)[\(index)]", expected: "a key", advice: "put it in double quotes")
                continue
            }
        }
    }

    /// Reads one name of a kind, or several.
    private mutating func readKinds(_ value: LocatedValue, _ key: String) {
        let kinds: [LocatedValue]
        if case .array(let elements) = value.content { kinds = elements } else { kinds = [value] }
        let known = SchemaKind.allCases.map(\.rawValue)
        let expected = known.dropLast().joined(separator: ", ") + " or " + (known.last ?? "")
        if kinds.isEmpty { report(value, key, expected: expected, advice: "name one or remove the key") }
        for kind in kinds {
            if case .string(let name) = kind.content {
                if SchemaKind(rawValue: name) != nil { continue }
                let suggestion = NearMiss.suggestion(for: name, among: known)
                report(
                    kind, key, expected: expected, found: Value.string(name).json(),
                    advice: suggestion.map { "write \"\($0)\"" } ?? "choose one of them")
            } else {
                report(kind, key, expected: expected, advice: "write one of them in double quotes")
            }
        }
    }

    /// Reads a number within what the keyword takes.
    private mutating func readNumber(
        _ value: LocatedValue, _ operand: SchemaKeyword.Operand, _ key: String
    ) {
        let number: Value? = if case .number(let number) = value.content { number } else { nil }
        switch operand {
        case .count where (number?.intValue).map { $0 >= 0 } != true:
            report(value, key, expected: "a whole number of at least 0", advice: "write one")
        case .positiveNumber where (number?.doubleValue).map { $0 > 0 } != true:
            report(value, key, expected: "a number above 0", advice: "write one")
        case .number where number?.doubleValue == nil:
            report(value, key, expected: "a number", advice: "write one without quotes")
        default: break
        }
    }

    /// Reads a pattern.
    private mutating func readPattern(_ value: LocatedValue, _ key: String) {
        guard case .string(let text) = value.content else {
            return report(value, key, expected: "a pattern", advice: "put it in double quotes")
        }
        do {
            _ = try TextPattern(text)
        } catch {
            report(value, key, expected: "a pattern", found: error.found, advice: error.advice)
        }
    }

    /// Reads a reference to a part of this schema.
    private mutating func readPlace(_ value: LocatedValue, _ key: String) {
        if case .string(let text) = value.content, let target = Schema.target(of: text, in: root) {
            if case .object = target { return }
            if case .bool = target { return }
        }
        report(
            value, key, expected: "a place in this schema, such as \"#/$defs/limit\"",
            advice: "define it under \"$defs\" and write # and its JSON Pointer")
    }

    /// Notes a problem.
    private mutating func report(
        _ value: LocatedValue, _ key: String, expected: String, found: String? = nil, advice: String
    ) {
        problems.append(
            ManifestProblem(
                at: value.position, key: key, expected: expected, found: found ?? value.kindName,
                advice: advice))
    }
}
