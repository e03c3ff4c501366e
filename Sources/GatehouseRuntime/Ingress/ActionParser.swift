// SPDX-License-Identifier: Apache-2.0

internal import CSimdJSON
package import GatehousePlan
package import GatehouseSDK
internal import Glibc

/// Parses lines as actions, or as the payloads of actions, one at a time, reusing its buffers.
///
/// The fast path validates the line with simdjson, walks the root object once and copies payload and meta only. A line beyond 64 KiB is
/// only checked, and its parts are kept as text until they are read. Anything it does not accept goes once through a strict scanner, which
/// has the last word: it refuses with a position, or accepts values that simdjson cannot hold (legal numbers beyond 64 bits and `Double`).
/// Both paths accept the same lines otherwise. Not thread-safe: one parser, one thread at a time.
///
/// Marked safe because its pointer is owned: created in `init`, freed in `deinit`, and never lent.
@safe package struct ActionParser: ~Copyable {
    /// simdjson's parser; nil when memory was short; every line then takes the strict scanner.
    private let parser: OpaquePointer?

    /// Makes the actions.
    private var intake = ActionIntake()

    /// How to find a line's action type; nil where lines are actions.
    private let wrap: LineWrap?

    /// Creates a parser for lines that are actions, or that are wrapped.
    package init(wrap: LineWrap? = nil) {
        unsafe parser = gatehouse_json_parser_create(ActionText.longestReadWhole)
        self.wrap = wrap
    }

    deinit { unsafe gatehouse_json_parser_destroy(parser) }

    /// The number of bytes of text that the fast path has buffers for.
    var capacity: Int { unsafe parser.map { unsafe gatehouse_json_parser_capacity($0) } ?? 0 }

    /// Parses one line, which must be followed by `LineReader.padding` readable bytes.
    ///
    /// Linear in the line's length.
    package mutating func parse(_ line: InputLine) -> ActionLineOutcome {
        let bytes = unsafe line.bytes
        if bytes.count > ActionText.longestReadWhole { return unsafe parseLong(bytes, line: line.number) }
        if let wrap { return unsafe parseWrapped(bytes, line: line.number, wrap) }
        // Anything else in front means white space, a blank line, or a mistake.
        guard unsafe bytes.first == UInt8(ascii: "{") else {
            return unsafe parseUnusual(bytes, line: line.number)
        }
        return unsafe parseFast(bytes, line: line.number) ?? parseStrictly(bytes, line: line.number)
    }

    // MARK: - Implementation details

    /// Separates blank lines, and lines with leading white space, from lines that cannot be actions.
    private mutating func parseUnusual(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome {
        guard let first = unsafe bytes.first(where: { !Self.isWhiteSpace($0) }) else { return .blank }
        if first == UInt8(ascii: "{"), let outcome = unsafe parseFast(bytes, line: line) { return outcome }
        return unsafe parseStrictly(bytes, line: line)
    }

    /// The fast path; nil hands the line to the strict scanner.
    private mutating func parseFast(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome? {
        guard let document = unsafe document(bytes), let raw = unsafe RawAction(document) else { return nil }
        guard
            let action = unsafe intake.action(
                named: raw.typeName, error: raw.error, payload: raw.payload, meta: raw.meta)
        else { return Self.tooManyTypes(line) }
        return raw.isForHost ? .hostAction(action) : .action(action)
    }

    /// Takes the whole line as the payload of an action, on the fast path where it can.
    private mutating func parseWrapped(
        _ bytes: UnsafeRawBufferPointer, line: Int, _ wrap: LineWrap
    ) -> ActionLineOutcome {
        if unsafe bytes.allSatisfy(Self.isWhiteSpace) { return .blank }
        guard let document = unsafe document(bytes), let raw = unsafe RawAction(document, wrap) else {
            return unsafe parseStrictly(bytes, line: line)
        }
        guard case .type(let name) = wrap else {
            return Self.made(
                unsafe intake.action(named: raw.typeName, error: false, payload: raw.payload, meta: nil),
                isForHost: raw.isForHost, line)
        }
        return unsafe Self.named(name, line) {
            unsafe intake.action(named: $0, error: false, payload: raw.payload, meta: nil)
        }
    }

    /// Returns the outcome for a line whose action is made by its name, or has no room.
    private static func named(
        _ name: String, _ line: Int, _ make: (UnsafeRawBufferPointer) -> AnyAction?
    ) -> ActionLineOutcome {
        var name = name
        return made(
            name.withUTF8 { unsafe make(UnsafeRawBufferPointer($0)) },
            isForHost: ReservedNames.isForHost(name),
            line)
    }

    /// Returns the outcome for a line whose action the intake made, or had no room for.
    private static func made(_ action: AnyAction?, isForHost: Bool, _ line: Int) -> ActionLineOutcome {
        guard let action else { return tooManyTypes(line) }
        return isForHost ? .hostAction(action) : .action(action)
    }

    /// Parses a line with simdjson; nil for one that it does not accept.
    @inline(__always)
    private mutating func document(_ bytes: UnsafeRawBufferPointer) -> gatehouse_json_document? {
        guard let parser = unsafe parser, let start = bytes.baseAddress else { return nil }
        let document = unsafe gatehouse_json_parse(
            parser, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        return unsafe document.status == GATEHOUSE_JSON_OK ? document : nil
    }

    /// The slow path, whose verdict is final.
    private mutating func parseStrictly(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome {
        do throws(ActionRejection) {
            let root = unsafe try Self.reading(bytes, line: line) { () throws(JSONSyntaxError) in
                try JSONText.parseLocated(unsafe [UInt8](bytes))
            }
            let located =
                if let wrap { try LocatedAction(root, line: line, wrap: wrap) } else {
                    try LocatedAction(root, line: line)
                }
            let payload = located.payload.map { Tape.make($0).root }
            let meta = located.meta.map { Tape.make($0).root }
            return unsafe Self.named(located.type, line) {
                unsafe intake.action(named: $0, error: located.error, payload: payload, meta: meta)
            }
        } catch {
            return .rejected(error)
        }
    }

    /// Returns the refusal of a new type without room.
    private static func tooManyTypes(_ line: Int) -> ActionLineOutcome {
        .rejected(ActionRejection(line: line, column: 1, reason: .tooManyTypes))
    }

    /// Checks a long line and copies its parts as text: simdjson would need twenty times its memory.
    private mutating func parseLong(_ bytes: UnsafeRawBufferPointer, line: Int) -> ActionLineOutcome {
        if unsafe bytes.allSatisfy(Self.isWhiteSpace) { return .blank }
        do throws(ActionRejection) {
            // One member more than an action may have, to detect one too many.
            let outline = unsafe try Self.reading(bytes, line: line) { () throws(JSONSyntaxError) in
                unsafe try JSONText.outline(bytes, members: LocatedAction.memberNames.count + 1)
            }
            let located: LocatedAction
            switch wrap {
            case nil: located = try LocatedAction(outline.root, line: line)
            case .type(let name): located = try LocatedAction(outline.root, line: line, wrap: .type(name))
            case .typeAt(let pointer):
                let (part, isThere) = unsafe try Self.reading(bytes, line: line) {
                    () throws(JSONSyntaxError) in unsafe try JSONText.part(at: pointer, of: bytes)
                }
                located = try LocatedAction(typedBy: part, isThere: isThere, at: pointer, line: line)
            }
            let payload =
                unsafe wrap == nil ? outline.text(of: "payload", in: bytes) : outline.text(in: bytes)
            let meta = unsafe wrap == nil ? outline.text(of: "meta", in: bytes) : nil
            return unsafe Self.named(located.type, line) {
                unsafe intake.action(named: $0, error: located.error, payload: payload, meta: meta)
            }
        } catch {
            return .rejected(error)
        }
    }

    /// Reads a line with positions; a refusal gives the place within the whole input.
    private static func reading<Result>(
        _ bytes: UnsafeRawBufferPointer, line: Int, _ read: () throws(JSONSyntaxError) -> Result
    ) throws(ActionRejection) -> Result {
        do {
            return try read()
        } catch {
            let position = error.position
            var reason = ActionRejection.Reason.syntax(error.reason)
            if error.reason == .invalidUTF8, position.offset < bytes.count {
                reason = unsafe .invalidUTF8(byte: bytes[position.offset], position: position.offset + 1)
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

/// The outcome for one line of input.
package enum ActionLineOutcome {
    /// The line is an action; releasing it before the next line saves an allocation, but it may be kept.
    case action(AnyAction)

    /// The line is an action with a type of the host, which input may carry only with permission.
    case hostAction(AnyAction)

    /// The line is an action that is not admitted, for this reason.
    indirect case refused(AnyAction, String)

    /// Only white space, neither an action nor a mistake: files often end with an empty line, and a sender
    /// may keep a connection alive with them; count it separately.
    case blank

    /// The line is not an action, for this reason.
    indirect case rejected(ActionRejection)
}
