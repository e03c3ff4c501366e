// SPDX-License-Identifier: Apache-2.0

/// Lays a document out on a tape in two passes: one counts, one writes, so that nothing has to grow or be copied.
///
/// Marked safe because the pointers are borrowed from the storage that `Tape.laidOut` fills, and never leave.
@safe
struct TapeLayout {
    /// The words so far.
    private(set) var wordCount = 0
    /// The bytes of texts so far.
    private(set) var byteCount = 0
    /// The memory for the words; nil while counting.
    private let words: UnsafeMutablePointer<UInt64>?
    /// The memory for the texts, after the words.
    private let bytes: UnsafeMutableRawPointer?

    /// Creates a layout that counts.
    init() {
        unsafe words = nil
        unsafe bytes = nil
    }

    /// Creates a layout that writes; there must be room for everything counted.
    init(words: UnsafeMutablePointer<UInt64>, count: Int) {
        unsafe self.words = unsafe words
        unsafe bytes = unsafe UnsafeMutableRawPointer(words + count)
    }

    /// Appends a word made of a tag and a payload.
    private mutating func append(_ tag: UInt8, _ payload: UInt64) { put(UInt64(tag) << 56 | payload) }

    /// Adds a value; recursion is as deep as the value.
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

    /// Adds a word and its text.
    mutating func append(_ tag: UInt8, text: String) {
        append(tag, UInt64(byteCount))
        var text = text
        let count = text.withUTF8 { text in
            if let place = unsafe bytes.map({ unsafe $0 + byteCount }) {
                unsafe place.storeBytes(
                    of: UInt32(truncatingIfNeeded: text.count).littleEndian, as: UInt32.self)
                unsafe UnsafeMutableRawBufferPointer(start: place + 4, count: text.count).copyBytes(
                    from: text)
                unsafe place.storeBytes(of: 0, toByteOffset: 4 + text.count, as: UInt8.self)
            }
            return text.count
        }
        byteCount += 4 + count + 1
    }

    /// Leaves room for a container's first word and returns its index.
    mutating func open() -> Int {
        put(0)
        return wordCount - 1
    }

    /// Adds a container's last word and fills in its first.
    mutating func close(_ start: Int, _ tag: UInt8, _ endTag: UInt8, count: Int) {
        append(endTag, UInt64(start))
        unsafe words?[start] =
            UInt64(tag) << 56 | UInt64(min(count, 0xFF_FFFF)) << 32 | UInt64(wordCount)
    }

    /// Adds a tag and the raw word after it.
    private mutating func append(_ tag: UInt8, raw: UInt64) {
        append(tag, 0)
        put(raw)
    }

    /// Adds a word as it is.
    private mutating func put(_ word: UInt64) {
        unsafe words?[wordCount] = word
        wordCount += 1
    }
}

extension Tape {
    /// Reads a text onto a tape of exactly the required size.
    public static func make(_ text: CheckedText) -> Tape { laidOut { text.lay(on: &$0) } }

    /// Creates a tape of exactly the size that the closure lays out; calls it twice, and it must do the same both times.
    static func laidOut(_ lay: (inout TapeLayout) -> Void) -> Tape {
        var counted = TapeLayout()
        lay(&counted)
        let header = TapeHeader(
            wordCount: counted.wordCount, wordBase: 0, byteCount: counted.byteCount, byteBase: 0)
        let buffer = TapeStorage.create(
            minimumCapacity: header.wordCount + (header.byteCount + 7) / 8
        ) { _ in header }
        let storage = unsafe unsafeDowncast(buffer, to: TapeStorage.self)
        unsafe storage.withUnsafeMutablePointerToElements { elements in
            var layout = unsafe TapeLayout(words: elements, count: header.wordCount)
            lay(&layout)
        }
        return Tape(storage: storage)
    }
}

extension CheckedText {
    /// Reads the whole text once.
    fileprivate func lay(on layout: inout TapeLayout) {
        unsafe bytes.withUnsafeBytes { bytes in
            var scanner = unsafe JSONScanner(bytes)
            do {
                try scanner.lay(on: &layout)
            } catch {
                preconditionFailure("a checked text has no mistakes")
            }
        }
    }
}

extension JSONScanner {
    /// Reads the value under the cursor.
    fileprivate mutating func lay(on layout: inout TapeLayout) throws(JSONSyntaxError) {
        var count = 0
        switch current {
        case UInt8(ascii: "{"):
            let start = layout.open()
            try object { scanner, key, _ throws(JSONSyntaxError) in
                layout.append(TapeTag.string, text: key)
                try scanner.lay(on: &layout)
                count += 1
            }
            layout.close(start, TapeTag.object, TapeTag.objectEnd, count: count)
        case UInt8(ascii: "["):
            let start = layout.open()
            try array { scanner throws(JSONSyntaxError) in
                try scanner.lay(on: &layout)
                count += 1
            }
            layout.close(start, TapeTag.array, TapeTag.arrayEnd, count: count)
        default: layout.append(try value())
        }
    }
}
