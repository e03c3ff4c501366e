// SPDX-License-Identifier: Apache-2.0

import CSimdJSON
import GatehouseSDK
import Glibc

/// Turns lines into actions, one at a time, reusing its buffers.
///
/// The fast path validates the line with simdjson, walks the root object once and copies payload and meta
/// only. What it does not accept goes once through a strict scanner, which has the last word: it refuses with
/// a position, or accepts what simdjson cannot hold (legal numbers beyond 64 bits and `Double`). Both paths
/// accept the same lines otherwise. Not thread-safe: one parser, one thread at a time.
///
/// Marked safe because its pointer is owned: created in `init`, freed in `deinit`, and never lent.
@safe public struct ActionParser: ~Copyable {
    /// Text above this many bytes makes the parser give its buffers back before the next shorter line.
    static var largestKeptBytes: Int { 1 << 20 }

    /// simdjson's parser; nil when memory was short, then every line takes the strict scanner.
    private let parser: OpaquePointer?

    /// Whether the parser's buffers have grown for a line above `largestKeptBytes`.
    private var isLarge = false

    /// Makes the actions.
    private var intake = ActionIntake()

    /// A parser for lines of up to `maximumLineBytes` on the fast path; longer ones are parsed too, slowly.
    public init(maximumLineBytes: Int = LineReader.defaultMaximumLineBytes) {
        unsafe parser = gatehouse_json_parser_create(max(0, maximumLineBytes))
    }

    deinit { unsafe gatehouse_json_parser_destroy(parser) }

    /// Bytes of text that the fast path holds buffers for.
    var capacity: Int { unsafe parser.map { unsafe gatehouse_json_parser_capacity($0) } ?? 0 }

    /// Reads one line, which must have `LineReader.padding` readable bytes behind it.
    ///
    /// Linear in the line's length.
    public mutating func parse(_ line: InputLine) -> ActionLineOutcome {
        let bytes = unsafe line.bytes
        // Anything else in front means white space, a blank line, or a mistake.
        guard unsafe bytes.first == UInt8(ascii: "{") else {
            return unsafe parseUnusual(bytes, line: line.number)
        }
        return unsafe parseFast(bytes, line: line.number) ?? parseStrictly(bytes, line: line.number)
    }

    // MARK: - Implementation details

    /// Tells blank lines, and lines with white space in front, from lines that cannot be actions.
    private mutating func parseUnusual(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome {
        guard let first = unsafe bytes.first(where: { !Self.isWhiteSpace($0) }) else { return .blank }
        if first == UInt8(ascii: "{"), let outcome = unsafe parseFast(bytes, line: line) {
            return outcome
        }
        return unsafe parseStrictly(bytes, line: line)
    }

    /// The fast path; nil hands the line to the strict scanner.
    private mutating func parseFast(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome? {
        guard let parser = unsafe parser, let start = bytes.baseAddress else { return nil }
        if bytes.count > Self.largestKeptBytes {
            isLarge = true
        } else if isLarge {
            unsafe gatehouse_json_parser_trim(parser, Self.largestKeptBytes)
            isLarge = false
        }
        let document = unsafe gatehouse_json_parse(
            parser, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        guard unsafe document.status == GATEHOUSE_JSON_OK, let raw = unsafe RawAction(document) else {
            return nil
        }
        guard
            let action = unsafe intake.action(
                named: raw.typeName, error: raw.error, payload: raw.payload, meta: raw.meta)
        else { return tooManyTypes(line) }
        return raw.isForHost ? .hostAction(action) : .action(action)
    }

    /// The slow path, whose verdict is final.
    private mutating func parseStrictly(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome {
        let text = unsafe [UInt8](bytes)
        do {
            let root = try Self.locate(text, line: line)
            let located = try LocatedAction(root, line: line)
            var type = located.type
            let payload = located.payload.map { Tape.make($0).root }
            let meta = located.meta.map { Tape.make($0).root }
            let action = type.withUTF8 {
                unsafe intake.action(
                    named: UnsafeRawBufferPointer($0), error: located.error, payload: payload, meta: meta)
            }
            guard let action else { return tooManyTypes(line) }
            return type.utf8.starts(with: ReservedNames.typePrefix.utf8)
                ? .hostAction(action) : .action(action)
        } catch {
            return .rejected(error)
        }
    }

    /// The refusal of a new type that finds no room.
    private func tooManyTypes(_ line: Int) -> ActionLineOutcome {
        .rejected(ActionRejection(line: line, column: 1, reason: .tooManyTypes))
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

    /// Whether a byte is white space in JSON.
    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\n")
    }
}
