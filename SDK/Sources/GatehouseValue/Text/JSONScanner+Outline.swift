// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
    /// Skips the value under the cursor, checking all of it.
    mutating func skip() throws(JSONSyntaxError) {
        switch current {
        case UInt8(ascii: "{"): try object { scanner, _, _ throws(JSONSyntaxError) in try scanner.skip() }
        case UInt8(ascii: "["): try array { scanner throws(JSONSyntaxError) in try scanner.skip() }
        default: _ = try value()
        }
    }

    /// Reads the value under the cursor, but only the kind of a container.
    private mutating func shallowValue() throws(JSONSyntaxError) -> LocatedValue {
        let position = position(at: offset)
        switch current {
        case UInt8(ascii: "{"):
            try skip()
            return LocatedValue(position: position, content: .object([]))
        case UInt8(ascii: "["):
            try skip()
            return LocatedValue(position: position, content: .array([]))
        default: return try locatedValue()
        }
    }

    /// Reads the root with its first members, and skips the others.
    mutating func outline(members limit: Int) throws(JSONSyntaxError) -> JSONOutline {
        let start = offset
        guard current == UInt8(ascii: "{") else {
            let root = try shallowValue()
            return JSONOutline(root: root, parts: [], whole: start..<offset)
        }
        let position = position(at: start)
        var members: [LocatedMember] = []
        var parts: [Range<Int>] = []
        try object { scanner, key, keyOffset throws(JSONSyntaxError) in
            guard members.count < limit else { return try scanner.skip() }
            let keyPosition = scanner.position(at: keyOffset)
            let start = scanner.offset
            let value = try scanner.shallowValue()
            members.append(LocatedMember(key: key, keyPosition: keyPosition, value: value))
            parts.append(start..<scanner.offset)
        }
        return JSONOutline(
            root: LocatedValue(position: position, content: .object(members)), parts: parts,
            whole: start..<offset)
    }

    /// Reads the value at a pointer from the value under the cursor, and skips the rest of it.
    mutating func part(
        at tokens: ArraySlice<String>
    ) throws(JSONSyntaxError) -> (part: LocatedValue, isThere: Bool) {
        guard let token = tokens.first else { return (try shallowValue(), true) }
        let position = position(at: offset)
        var found: (part: LocatedValue, isThere: Bool)?
        let rest = tokens.dropFirst()
        switch current {
        case UInt8(ascii: "{"):
            try object { scanner, key, _ throws(JSONSyntaxError) in
                guard ExactText(key) == ExactText(token) else { return try scanner.skip() }
                found = try scanner.part(at: rest)
            }
            return found ?? (LocatedValue(position: position, content: .object([])), false)
        case UInt8(ascii: "["):
            let wanted = JSONPointer.arrayIndex(token)
            var index = 0
            try array { scanner throws(JSONSyntaxError) in
                if index == wanted { found = try scanner.part(at: rest) } else { try scanner.skip() }
                index += 1
            }
            return found ?? (LocatedValue(position: position, content: .array([])), false)
        default: return (try locatedValue(), false)
        }
    }
}
