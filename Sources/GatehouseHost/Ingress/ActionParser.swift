// SPDX-License-Identifier: Apache-2.0

import CSimdJSON
import GatehouseValue
import Glibc

/// Turns lines into actions, one at a time, reusing its buffers.
///
/// The fast path validates the line with simdjson, walks the root object once and copies payload and meta
/// only. What it does not accept goes once through a strict scanner, which has the last word: it refuses with
/// a position, or accepts what simdjson cannot hold (legal numbers beyond 64 bits and `Double`). Both paths
/// accept the same lines otherwise. Not thread-safe: one parser, one thread at a time.
///
/// Marked safe because its two pointers are owned: created in `init`, freed in `deinit`, and lent only as
/// `ParsedAction.typeName`.
@safe public struct ActionParser: ~Copyable {
    /// Text above this many bytes makes the parser give its buffers back before the next shorter line.
    static var largestKeptBytes: Int { 1 << 20 }

    /// simdjson's parser; nil when memory was short, then every line takes the strict scanner.
    private let parser: OpaquePointer?

    /// Whether the parser's buffers have grown for a line above `largestKeptBytes`.
    private var isLarge = false

    /// The type name of the last action that the strict scanner accepted.
    private var heldType: UnsafeMutableBufferPointer<UInt8>

    /// A parser for lines of up to `maximumLineBytes` on the fast path; longer ones are parsed too, slowly.
    public init(maximumLineBytes: Int = LineReader.defaultMaximumLineBytes) {
        unsafe parser = gatehouse_json_parser_create(max(0, maximumLineBytes))
        unsafe heldType = UnsafeMutableBufferPointer(start: nil, count: 0)
    }

    deinit {
        unsafe gatehouse_json_parser_destroy(parser)
        unsafe heldType.deallocate()
    }

    /// Bytes of text that the fast path holds buffers for.
    var capacity: Int { unsafe parser.map { unsafe gatehouse_json_parser_capacity($0) } ?? 0 }

    /// Reads one line, which must have `LineReader.padding` readable bytes behind it.
    ///
    /// The type name in the result is valid until the next call. Linear in the line's length.
    public mutating func parse(_ line: InputLine) -> ActionLineOutcome {
        let bytes = unsafe line.bytes
        // Anything else in front means white space, a blank line, or a mistake.
        guard unsafe bytes.first == UInt8(ascii: "{") else {
            return unsafe parseUnusual(bytes, line: line.number)
        }
        return unsafe parseFast(bytes) ?? parseStrictly(bytes, line: line.number)
    }

    // MARK: - Implementation details

    /// Tells blank lines, and lines with white space in front, from lines that cannot be actions.
    private mutating func parseUnusual(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome {
        guard let first = unsafe bytes.first(where: { !Self.isWhiteSpace($0) }) else { return .blank }
        if first == UInt8(ascii: "{"), let outcome = unsafe parseFast(bytes) { return outcome }
        return unsafe parseStrictly(bytes, line: line)
    }

    /// The fast path; nil hands the line to the strict scanner.
    private mutating func parseFast(_ bytes: UnsafeRawBufferPointer) -> ActionLineOutcome? {
        guard let parser = unsafe parser, let start = bytes.baseAddress else { return nil }
        if bytes.count > Self.largestKeptBytes {
            isLarge = true
        } else if isLarge {
            unsafe gatehouse_json_parser_trim(parser, Self.largestKeptBytes)
            isLarge = false
        }
        let document = unsafe gatehouse_json_parse(
            parser, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        guard unsafe document.status == GATEHOUSE_JSON_OK, let action = unsafe RawAction(document) else {
            return nil
        }
        return .action(
            unsafe ParsedAction(
                typeName: action.typeName, payload: action.copyPayload(), error: action.error,
                meta: action.copyMeta()))
    }

    /// The slow path, whose verdict is final.
    private mutating func parseStrictly(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome {
        let text = unsafe [UInt8](bytes)
        do {
            let root = try Self.locate(text, line: line)
            let action = try LocatedAction(root, line: line)
            return .action(
                unsafe ParsedAction(
                    typeName: hold(action.type), payload: action.payload.map { Tape.make($0).root },
                    error: action.error, meta: action.meta.map { Tape.make($0).root }))
        } catch {
            return .rejected(error)
        }
    }

    /// Reads the line with positions; a refusal names the place within the whole input.
    private static func locate(_ text: [UInt8], line: Int) throws(ActionRejection) -> LocatedValue {
        do {
            return try JSONText.parseLocated(text)
        } catch {
            let position = error.position
            var reason = ActionRejection.Reason.syntax(error.reason)
            if error.reason == .invalidUTF8, text.indices.contains(position.offset) {
                reason = .invalidUTF8(byte: text[position.offset], position: position.offset + 1)
            }
            throw ActionRejection(line: line + position.line - 1, column: position.column, reason: reason)
        }
    }

    /// Copies a type name to where it stays until the next slow accept or the parser's end.
    private mutating func hold(_ type: String) -> UnsafeBufferPointer<UInt8> {
        unsafe heldType.deallocate()
        let bytes = Array(type.utf8)
        unsafe heldType = .allocate(capacity: bytes.count)
        _ = unsafe heldType.initialize(from: bytes)
        return unsafe UnsafeBufferPointer(heldType)
    }

    /// Whether a byte is white space in JSON.
    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }
}
