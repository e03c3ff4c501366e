// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue

/// One value of the file with its place; hands it out as a type, or reports why not and returns nil.
struct ConfigurationNode {
    /// The value as read.
    let value: LocatedValue
    /// Its place in the document.
    let pointer: JSONPointer
    /// Where its problems go.
    let log: ProblemLog

    /// Notes a problem with this value.
    func report(_ reason: ConfigurationProblem.Reason, severity: ConfigurationProblem.Severity = .error) {
        log.report(reason, at: value.position, pointer: pointer, severity: severity)
    }

    /// Notes a problem with this value and gives up on it.
    func fail<Result>(_ reason: ConfigurationProblem.Reason) -> Result? {
        report(reason)
        return nil
    }

    /// Notes that this value is of another kind, and gives up on it.
    func fail<Result>(expected: ConfigurationProblem.ExpectedKind) -> Result? {
        fail(.wrongKind(expected: expected, found: Quotation.of(value)))
    }

    // MARK: - Kinds

    /// The text, also an empty one.
    func string() -> String? {
        guard case .string(let text) = value.content else { return fail(expected: .string) }
        return text
    }

    /// The boolean.
    func bool() -> Bool? {
        guard case .bool(let bool) = value.content else { return fail(expected: .boolean) }
        return bool
    }

    /// The whole number, if it is in the range; `1.0` is whole.
    func integer(in range: ClosedRange<Int>) -> Int? {
        guard case .number(let number) = value.content, let integer = number.intValue, range.contains(integer)
        else { return fail(.invalidNumber(found: Quotation.of(value), range: range)) }
        return integer
    }

    /// The case whose raw value the text is.
    func choice<Choice: RawRepresentable<String> & CaseIterable>() -> Choice? {
        if case .string(let text) = value.content, let choice = Choice(rawValue: text) { return choice }
        let choices = Choice.allCases.map(\.rawValue)
        var suggestion: String?
        if case .string(let text) = value.content {
            suggestion = NearMiss.suggestion(for: text, among: choices)
        }
        return fail(.notAChoice(found: Quotation.of(value), choices: choices, suggestion: suggestion))
    }

    /// The value as it is, whatever its kind; duplicate keys anywhere in it are reported.
    func anything() -> Value {
        reportDuplicateKeys()
        return value.value
    }

    /// The object as it is; duplicate keys anywhere in it are reported.
    func object() -> Value? {
        guard case .object = value.content else { return fail(expected: .object) }
        return anything()
    }

    // MARK: - Parts

    /// The elements of the array.
    func elements(expected: ConfigurationProblem.ExpectedKind) -> [ConfigurationNode]? {
        guard case .array(let elements) = value.content else { return fail(expected: expected) }
        return elements.enumerated().map { index, element in
            ConfigurationNode(value: element, pointer: pointer.appending(String(index)), log: log)
        }
    }

    /// The members of the object, without those whose key came before: they are reported.
    func members() -> [ConfigurationMember]? {
        guard case .object(let members) = value.content else { return fail(expected: .object) }
        // Bytes, because text that only looks the same is another key in JSON.
        var firstLines: [[UInt8]: Int] = [:]
        return members.compactMap { member in
            let place = pointer.appending(member.key)
            let node = ConfigurationNode(value: member.value, pointer: place, log: log)
            let bytes = Array(member.key.utf8)
            if let line = firstLines[bytes] {
                log.report(
                    .duplicateKey(member.key, firstLine: line), at: member.keyPosition, pointer: place)
                return nil
            }
            firstLines[bytes] = member.keyPosition.line
            return ConfigurationMember(key: member.key, keyPosition: member.keyPosition, node: node)
        }
    }

    /// Looks for duplicate keys in everything below, which no reader does for values of free form.
    private func reportDuplicateKeys() {
        switch value.content {
        case .object:
            for member in members() ?? [] { member.node.reportDuplicateKeys() }
        case .array:
            for element in elements(expected: .entries) ?? [] { element.reportDuplicateKeys() }
        default:
            break
        }
    }
}
