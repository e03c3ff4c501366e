// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
    /// Reads a whole text: white space, one value, white space.
    mutating func document<Result>(
        _ read: (inout JSONScanner) throws(JSONSyntaxError) -> Result
    ) throws(JSONSyntaxError) -> Result {
        if byte(at: 0) == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF {
            throw failure(.byteOrderMark, at: 0)
        }
        do throws(JSONSyntaxError) {
            let result = try content(read)
            guard let openComment else { return result }
            throw failure(.unclosedComment, at: openComment)
        } catch {
            // An open comment contains whatever seems to be missing after it.
            guard let openComment else { throw error }
            throw failure(.unclosedComment, at: openComment)
        }
    }

    /// Reads white space, one value, white space.
    private mutating func content<Result>(
        _ read: (inout JSONScanner) throws(JSONSyntaxError) -> Result
    ) throws(JSONSyntaxError) -> Result {
        skipSpace()
        if offset >= count { throw failure(.empty, at: offset) }
        let result = try read(&self)
        skipSpace()
        guard offset >= count else {
            guard let found = scalar(at: offset) else { throw failure(.invalidUTF8, at: offset) }
            throw failure(.trailingText(found), at: offset)
        }
        return result
    }

    /// Reads the value under the cursor.
    mutating func value() throws(JSONSyntaxError) -> Value {
        switch current {
        case UInt8(ascii: "{"):
            var members = Members()
            try object { scanner, key, _ throws(JSONSyntaxError) in members[key] = try scanner.value() }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [Value] = []
            try array { scanner throws(JSONSyntaxError) in elements.append(try scanner.value()) }
            return .array(elements)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: return try word()
        }
    }

    /// Reads the value under the cursor and keeps the position of each part.
    mutating func locatedValue() throws(JSONSyntaxError) -> LocatedValue {
        let position = position(at: offset)
        let content: LocatedValue.Content
        switch current {
        case UInt8(ascii: "{"):
            var members: [LocatedMember] = []
            try object { scanner, key, keyOffset throws(JSONSyntaxError) in
                let keyPosition = scanner.position(at: keyOffset)
                let value = try scanner.locatedValue()
                members.append(LocatedMember(key: key, keyPosition: keyPosition, value: value))
            }
            content = .object(members)
        case UInt8(ascii: "["):
            var elements: [LocatedValue] = []
            try array { scanner throws(JSONSyntaxError) in elements.append(try scanner.locatedValue()) }
            content = .array(elements)
        case UInt8(ascii: "\""): content = .string(try string())
        default:
            switch try value() {
            case .null: content = .null
            case .bool(let value): content = .bool(value)
            case let number: content = .number(number)
            }
        }
        return LocatedValue(position: position, content: content)
    }

    // MARK: - Containers

    /// Reads an object; calls `member` with each name and its offset, with the cursor on the member's value.
    mutating func object(
        _ member: (inout JSONScanner, String, Int) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        try enter()
        if current == UInt8(ascii: "}") { return leave() }
        while true {
            guard current == UInt8(ascii: "\"") else { throw unexpected(.memberName) }
            let keyOffset = offset
            let key = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw unexpected(.colon) }
            offset += 1
            skipSpace()
            try member(&self, key, keyOffset)
            skipSpace()
            if current == UInt8(ascii: "}") { return leave() }
            try comma(before: UInt8(ascii: "}"), else: .commaOrObjectEnd)
        }
    }

    /// Reads an array; calls `element` with the cursor on each element.
    mutating func array(
        _ element: (inout JSONScanner) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        try enter()
        if current == UInt8(ascii: "]") { return leave() }
        while true {
            try element(&self)
            skipSpace()
            if current == UInt8(ascii: "]") { return leave() }
            try comma(before: UInt8(ascii: "]"), else: .commaOrArrayEnd)
        }
    }

    /// Skips an opening bracket and the white space after it.
    private mutating func enter() throws(JSONSyntaxError) {
        guard depth < JSONText.maximumDepth else {
            throw failure(.tooDeep(limit: JSONText.maximumDepth), at: offset)
        }
        depth += 1
        offset += 1
        skipSpace()
    }

    /// Skips a closing bracket.
    private mutating func leave() {
        depth -= 1
        offset += 1
    }

    /// Skips a comma and the white space after it.
    private mutating func comma(
        before end: UInt8, else expected: JSONSyntaxError.Expectation
    ) throws(JSONSyntaxError) {
        guard current == UInt8(ascii: ",") else { throw unexpected(expected) }
        let comma = offset
        offset += 1
        skipSpace()
        if current == end { throw failure(.trailingComma, at: comma) }
    }

    // MARK: - Words

    /// Reads true, false or null.
    private mutating func word() throws(JSONSyntaxError) -> Value {
        let start = offset
        var end = start
        // Long enough to name what was found, short enough for a message.
        while end < start + 32, isWordByte(byte(at: end)) { end += 1 }
        guard end > start else { throw unexpected(.value) }
        let word = text(from: start, to: end)
        offset = end
        switch word {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        default: throw failure(.unknownWord(word), at: start)
        }
    }

    /// Returns whether a byte is an ASCII letter, digit or underscore.
    private func isWordByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "_") || (byte | 0x20) &- UInt8(ascii: "a") < 26
    }
}
