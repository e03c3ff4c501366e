// SPDX-License-Identifier: Apache-2.0

extension TapeView {
    /// The value as a tree; of repeated names the last counts. Recursion is as deep as the value.
    public var value: Value {
        switch kind {
        case .null: return .null
        case .bool: return .bool(tape.tag(at: index) == TapeTag.yes)
        case .integer: return .integer(Int64(bitPattern: tape.word(at: index + 1)))
        case .unsigned: return Value(tape.word(at: index + 1))
        case .double: return .double(Double(bitPattern: tape.word(at: index + 1)))
        case .bigNumber: return .bigNumber(storedText)
        case .string: return .string(storedText)
        case .array:
            var values: [Value] = []
            values.reserveCapacity(count)
            for element in elements { values.append(element.value) }
            return .array(values)
        case .object:
            var result = Members()
            result.reserveCapacity(count)
            for (name, view) in members { result[name.storedText] = view.value }
            return .object(result)
        }
    }

    /// The value as JSON text.
    public func json(_ style: JSONStyle = .compact) -> String { value.json(style) }
}

extension TapeView: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { json() }
}
