// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
package import GatehousePlan
package import GatehouseValue

/// The rules for the members of an action, applied to a value with positions; the first broken rule in the
/// line counts.
///
/// Only lines that the fast path did not accept get here, so refusals are worded in this one place.
package struct LocatedAction {
    /// The members an action may have, in the order of the wire form.
    static let memberNames = ["type", "payload", "error", "meta"]

    /// The action's type; not empty.
    package private(set) var type = ""

    /// The payload, if there is one.
    package private(set) var payload: Value?

    /// The member `error`, false where it is absent.
    package private(set) var error = false

    /// The meta object, if there is one.
    package private(set) var meta: Value?

    /// Checks the value of a whole line, which has the given number.
    package init(_ root: LocatedValue, line: Int) throws(ActionRejection) {
        func rejection(_ position: TextPosition, _ reason: ActionRejection.Reason) -> ActionRejection {
            ActionRejection(line: line + position.line - 1, column: position.column, reason: reason)
        }
        guard case .object(let members) = root.content else {
            throw rejection(root.position, .notAnObject(found: root.kindName))
        }
        var firstColumns: [String: Int] = [:]
        for member in members {
            guard Self.memberNames.contains(member.key) else {
                let suggestion = NearMiss.suggestion(for: member.key, among: Self.memberNames)
                throw rejection(member.keyPosition, .unknownMember(name: member.key, suggestion: suggestion))
            }
            if let first = firstColumns.updateValue(member.keyPosition.column, forKey: member.key) {
                throw rejection(member.keyPosition, .duplicateMember(name: member.key, first: first))
            }
            if let reason = take(member) { throw rejection(member.value.position, reason) }
        }
        if type.isEmpty { throw rejection(root.position, .missingType) }
    }

    /// Takes the value of a whole line, which has the given number, as the payload.
    package init(_ root: LocatedValue, line: Int, wrap: LineWrap) throws(ActionRejection) {
        switch wrap {
        case .type(let name): self.init(type: name)
        case .typeAt(let pointer):
            try self.init(
                typedBy: root.nearest(to: pointer).part, isThere: root.value[pointer] != nil, at: pointer,
                line: line)
        }
        payload = root.value
    }

    /// Creates an action of a known type, without payload.
    private init(type: String) { self.type = type }

    /// Creates an action without payload, whose type is the text at a place.
    ///
    /// - Parameter isThere: whether the place exists; otherwise the part is the innermost one on the way to it.
    package init(
        typedBy part: LocatedValue, isThere: Bool, at pointer: JSONPointer, line: Int
    ) throws(ActionRejection) {
        if isThere, case .string(let name) = part.content, !name.isEmpty {
            type = name
        } else {
            let found = part.content.isEmptyString ? "an empty string" : part.kindName
            throw ActionRejection(
                line: line + part.position.line - 1, column: part.position.column,
                reason: .noWrappedType(at: pointer, found: isThere ? found : nil))
        }
    }

    /// Keeps one known member, or returns what is wrong with its value.
    private mutating func take(_ member: LocatedMember) -> ActionRejection.Reason? {
        switch (member.key, member.value.content) {
        case ("type", .string(let name)):
            if name.isEmpty { return .emptyType }
            type = name
        case ("type", _): return .typeNotString(found: member.value.kindName)
        case ("error", .bool(let mark)): error = mark
        case ("error", _): return .errorNotBoolean(found: member.value.kindName)
        case ("meta", .object): meta = member.value.value
        case ("meta", _): return .metaNotObject(found: member.value.kindName)
        default: payload = member.value.value
        }
        return nil
    }
}

extension LocatedValue.Content {
    /// Whether it is a text without characters.
    fileprivate var isEmptyString: Bool {
        if case .string(let text) = self { text.isEmpty } else { false }
    }
}
