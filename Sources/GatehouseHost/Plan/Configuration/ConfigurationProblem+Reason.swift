// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

extension ConfigurationProblem {
    /// What was expected and what was found. Texts named `found` are quoted or described for it.
    public enum Reason: Equatable, Sendable {
        /// The text is not JSON.
        case syntax(JSONSyntaxError.Reason)
        /// A key that has no meaning here; `suggestion` is the near miss, `known` what has one.
        case unknownKey(String, suggestion: String?, known: [String])
        /// A key that stands twice in one object.
        case duplicateKey(String, firstLine: Int)
        /// A required key that is not there.
        case missingKey(String)
        /// A value of another kind than the key takes.
        case wrongKind(expected: ExpectedKind, found: String)
        /// A text or value outside a fixed set of words.
        case notAChoice(found: String, choices: [String], suggestion: String?)
        /// Not a whole number, or one outside the range.
        case invalidNumber(found: String, range: ClosedRange<Int>)
        /// A text that cannot name an instance.
        case invalidIdentifier(String)
        /// An id that belongs to the host.
        case reservedIdentifier(String)
        /// An id that an earlier entry has.
        case duplicateIdentifier(String, firstLine: Int)
        /// A text that is not a JSON Pointer.
        case invalidPointer(String)
        /// A text that is not a SHA-256 digest.
        case invalidDigest(String)
        /// A library that is not named by a plain file name.
        case invalidFileName(String)
        /// A text that cannot name a folder.
        case invalidFolder(String)
        /// An empty text where a name belongs.
        case emptyName
        /// A `*` that is not at the end of a name.
        case invalidPattern(String)
        /// A prefix that does not end in `/` or has a `*`.
        case invalidPrefix(String)
        /// A pattern where one type belongs.
        case patternForType(String)
        /// A name with `*` for a name without.
        case unmatchedWildcard(String, from: String)
        /// A host action's type where none may stand.
        case reservedType(String)
        /// A pattern without `host/` where only host actions are granted.
        case patternNotForHost(String)
        /// A pattern that looks as if it covered the host's types, which it does not. A warning.
        case patternLeavesOutHost(String)
        /// A slice that holds, or lies in, the host's.
        case reservedSlice(JSONPointer)
        /// A slice that holds, or lies in, that of an earlier entry.
        case overlappingSlice(JSONPointer, with: JSONPointer, of: String, line: Int)
        /// A gate that looks at the whole state, which is never a boolean.
        case gateOnWholeState
        /// `turnOn` and `turnOff` have one value, so the gate could never be closed by an action.
        case gateOnlyOpens(Value)
        /// Two keys of which only one may be given.
        case exclusiveKeys(String, String)
        /// A key that says nothing without another.
        case dependentKey(String, needs: String)
        /// A finding of a later check, as a whole sentence without its place.
        case finding(String)
    }

    /// A kind of value that a key may take.
    public enum ExpectedKind: Equatable, Sendable, CaseIterable {
        /// Text in quotes.
        case string
        /// `true` or `false`.
        case boolean
        /// A list of names.
        case names
        /// A list of entries.
        case entries
        /// Keys with values.
        case object
        /// Text, or keys with names.
        case prefixOrMap
        /// A word, or keys that say what moves the gate.
        case gate
    }
}
