// SPDX-License-Identifier: Apache-2.0

private import CSimdJSON
internal import GatehouseSDK
internal import GatehouseSupport
private import Synchronization

/// Converts a plugin's bytes to actions and states; validates every byte.
///
/// Not thread-safe: one reader, one thread at a time.
///
/// Marked safe because its pointer is owned: created when first needed, freed in `deinit`, and never lent.
@safe
struct ForeignReader: ~Copyable {
    /// The longest text that simdjson reads, in bytes; a longer one is only checked, and parsed on demand.
    private static var longestReadWhole: Int { 1 << 16 }

    /// simdjson's parser; nil before the first payload, and when memory is short: then the strict scanner reads.
    private var parser: OpaquePointer?
    /// Makes actions of parsed payloads.
    private var intake = ActionIntake()
    /// The current text with the padding that the parser requires.
    private var padded: [UInt8] = []

    /// Creates a reader without buffers.
    init() {}

    deinit { unsafe gatehouse_json_parser_destroy(parser) }

    /// Reads an action under its local name.
    ///
    /// - Throws: the problem with the type or the payload.
    mutating func action(
        named name: UnsafeRawBufferPointer, error: Bool, payload: UnsafeRawBufferPointer
    ) throws(CodingFailure) -> AnyAction {
        guard unsafe !name.isEmpty else {
            throw CodingFailure(pointer: Self.type, expected: "the name of an action", found: "none")
        }
        let made: AnyAction?
        if unsafe payload.isEmpty {
            made = unsafe intake.action(
                named: name, error: error, payload: TapeView?.none, meta: nil)
        } else if payload.count > Self.longestReadWhole {
            let text = unsafe try Self.checking(payload, of: name) { bytes throws(JSONSyntaxError) in
                unsafe try JSONText.outline(bytes, members: 0).text(in: bytes)
            }
            made = unsafe intake.action(named: name, error: error, payload: text, meta: nil)
        } else if let source = unsafe tape(of: payload) {
            made = unsafe intake.action(named: name, error: error, payload: source, meta: nil)
        } else {
            let value = unsafe try Self.checking(payload, of: name) { bytes throws(JSONSyntaxError) in
                unsafe try JSONText.parse(bytes)
            }
            made = unsafe intake.action(named: name, error: error, payload: Tape.make(value).root, meta: nil)
        }
        guard let made else {
            throw CodingFailure(
                pointer: Self.type, expected: "a known type",
                found: "a new one while as many as there is room for are in use")
        }
        return made
    }

    /// Checks that bytes are one JSON value.
    mutating func check(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        let isKnown = unsafe bytes.withUnsafeBytes { unsafe tape(of: $0) != nil }
        if !isKnown { _ = try JSONText.parse(bytes) }
    }

    // MARK: - Implementation details

    /// The place of the type in an action.
    private static let type = JSONPointer(tokens: ["type"])

    /// Parses a text with simdjson; the result is valid until its next text; nil when it does not accept the text.
    private mutating func tape(of text: UnsafeRawBufferPointer) -> TapeSource? {
        guard unsafe !text.isEmpty, text.count <= Self.longestReadWhole else { return nil }
        if unsafe parser == nil { unsafe parser = gatehouse_json_parser_create(Self.longestReadWhole) }
        guard let parser = unsafe parser else { return nil }
        let size = text.count + Int(GATEHOUSE_JSON_PADDING)
        if padded.count < size { padded = [UInt8](repeating: 0, count: max(size, 1_024)) }
        let document = unsafe padded.withUnsafeMutableBytes { buffer in
            unsafe buffer.copyMemory(from: text)
            return unsafe gatehouse_json_parse(
                parser, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count)
        }
        // The first and the last word belong to the document itself.
        guard unsafe document.status == GATEHOUSE_JSON_OK, unsafe document.word_count > 2 else { return nil }
        return unsafe TapeSource(
            words: UnsafeBufferPointer(start: document.words + 1, count: document.word_count - 2),
            wordBase: 1,
            strings: UnsafeRawBufferPointer(start: document.strings, count: document.string_byte_count),
            stringBase: 0)
    }

    /// Reads a payload strictly; an error has its place.
    private static func checking<Result>(
        _ payload: UnsafeRawBufferPointer, of name: UnsafeRawBufferPointer,
        _ read: (UnsafeRawBufferPointer) throws(JSONSyntaxError) -> Result
    ) throws(CodingFailure) -> Result {
        do {
            return unsafe try read(payload)
        } catch {
            let type = unsafe Quotation.of(String(decoding: name, as: UTF8.self))
            throw CodingFailure(
                pointer: JSONPointer(tokens: ["payload"]), expected: "JSON for \(type)",
                found: "text that is not, \(error)")
        }
    }
}

/// A reader for all threads of a plugin, one after the other.
///
/// `@unchecked Sendable`: the reader is used under the lock only.
final class SharedForeignReader: @unchecked Sendable {
    /// Held while the reader is used. Its value means nothing; an empty one would share the address of something else, which
    /// the thread sanitizer then reports as a race.
    private let lock = Mutex(false)
    /// The reader that all threads share, guarded by `lock`.
    private var reader = ForeignReader()

    /// Creates a reader without buffers.
    init() {}

    /// Calls `ForeignReader.action(named:error:payload:)` under the lock.
    func read(_ action: ForeignAction) throws(CodingFailure) -> AnyAction {
        try lock.withLock { _ throws(CodingFailure) in
            unsafe try reader.action(named: action.type, error: action.isError, payload: action.payload)
        }
    }

    /// Calls `ForeignReader.check(_:)` under the lock.
    func check(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        try lock.withLock { _ throws(JSONSyntaxError) in try reader.check(bytes) }
    }
}
