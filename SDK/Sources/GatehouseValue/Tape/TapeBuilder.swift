// SPDX-License-Identifier: Apache-2.0

/// Writes a value's words and texts, front to back.
struct TapeBuilder {
    /// The words so far.
    private var words: [UInt64] = []
    /// The byte area so far.
    private var bytes: [UInt8] = []

    /// Starts with room for a small document, so that most never move.
    init() {
        words.reserveCapacity(32)
        bytes.reserveCapacity(256)
    }

    /// Appends a value; recursion is as deep as the value.
    mutating func append(_ value: Value) {
        switch value {
        case .null: append(TapeTag.null, 0)
        case .bool(let value): append(value ? TapeTag.yes : TapeTag.no, 0)
        case .integer(let value): append(TapeTag.integer, raw: UInt64(bitPattern: value))
        case .unsigned(let value): append(TapeTag.unsigned, raw: value)
        case .double(let value): append(TapeTag.double, raw: value.bitPattern)
        case .bigNumber(let text): append(TapeTag.bigNumber, text: text)
        case .string(let text): append(TapeTag.string, text: text)
        case .array(let elements):
            let start = open()
            for element in elements { append(element) }
            close(start, TapeTag.array, TapeTag.arrayEnd, count: elements.count)
        case .object(let members):
            let start = open()
            for (key, value) in members {
                append(TapeTag.string, text: key)
                append(value)
            }
            close(start, TapeTag.object, TapeTag.objectEnd, count: members.count)
        }
    }

    /// The finished tape.
    func tape() -> Tape {
        unsafe words.withUnsafeBufferPointer { words in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe Tape.copying(words: words, wordBase: 0, strings: bytes, stringBase: 0)
            }
        }
    }

    // MARK: - Implementation details

    /// Appends a word.
    private mutating func append(_ tag: UInt8, _ payload: UInt64) {
        words.append(UInt64(tag) << 56 | payload)
    }

    /// Appends a tag and the raw word behind it.
    private mutating func append(_ tag: UInt8, raw: UInt64) {
        append(tag, 0)
        words.append(raw)
    }

    /// Appends a word and its text.
    private mutating func append(_ tag: UInt8, text: String) {
        append(tag, UInt64(bytes.count))
        var text = text
        text.withUTF8 { text in
            unsafe withUnsafeBytes(of: UInt32(truncatingIfNeeded: text.count).littleEndian) {
                unsafe bytes.append(contentsOf: $0)
            }
            unsafe bytes.append(contentsOf: text)
        }
        bytes.append(0)
    }

    /// Leaves room for a container's start word and says where.
    private mutating func open() -> Int {
        words.append(0)
        return words.count - 1
    }

    /// Appends a container's end word and fills in its start word.
    private mutating func close(_ start: Int, _ tag: UInt8, _ endTag: UInt8, count: Int) {
        append(endTag, UInt64(start))
        words[start] = UInt64(tag) << 56 | UInt64(min(count, 0xFF_FFFF)) << 32 | UInt64(words.count)
    }
}
