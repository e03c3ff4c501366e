// SPDX-License-Identifier: Apache-2.0

extension TapeView {
    /// The value as a tree; the last of repeated names counts. Recursion is as deep as the value.
    public var value: Value { tape.value(at: index) }

    /// Returns the value as JSON text.
    public func json(_ style: JSONStyle = .compact) -> String {
        var bytes: [UInt8] = []
        writeJSON(to: &bytes, style: style)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the value as JSON text in UTF-8, the same text as its tree's, without making the tree.
    public func writeJSON(to bytes: inout [UInt8], style: JSONStyle = .compact) {
        JSONWriter(style: style).write(tape, at: index, indent: 0, to: &bytes)
    }
}

extension TapeView: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { json() }
}

extension Tape {
    /// Returns the value at an index, for callers without a view.
    func value(at index: Int) -> Value {
        switch tag(at: index) {
        case TapeTag.yes: return .bool(true)
        case TapeTag.no: return .bool(false)
        case TapeTag.integer: return .integer(Int64(bitPattern: word(at: index + 1)))
        case TapeTag.unsigned: return Value(word(at: index + 1))
        case TapeTag.double: return .double(Double(bitPattern: word(at: index + 1)))
        case TapeTag.bigNumber: return .bigNumber(text(at: index))
        case TapeTag.string: return .string(text(at: index))
        case TapeTag.array:
            let last = closing(of: index)
            var elements: [Value] = []
            elements.reserveCapacity(count(of: index))
            var place = index + 1
            while place < last {
                elements.append(value(at: place))
                place = end(of: place)
            }
            return .array(elements)
        case TapeTag.object:
            let last = closing(of: index)
            var members: [Members.Element] = []
            members.reserveCapacity(count(of: index))
            var place = index + 1
            while place < last {
                members.append((text(at: place), value(at: place + 1)))
                place = end(of: place + 1)
            }
            let isDistinct = !repeatsNames(in: index)
            return .object(isDistinct ? Members(distinct: members) : Members(members.lazy.map { ($0, $1) }))
        default: return .null
        }
    }
}
