// SPDX-License-Identifier: Apache-2.0

/// A Redis answer in its wire form, to turn into one that no Redis gives.
public indirect enum HostileReply {
    /// A line: a status, an error or a number, with its first character.
    case line(UInt8, [UInt8])
    /// Bytes.
    case bulk([UInt8])
    /// Several answers.
    case array([HostileReply])
    /// Raw bytes, whatever they mean.
    case raw([UInt8])

    /// Parses the answers in some bytes; nil where they are incomplete.
    public static func all(in bytes: [UInt8]) -> [HostileReply]? {
        var rest = bytes[...]
        var replies: [HostileReply] = []
        while !rest.isEmpty {
            guard let reply = HostileReply(&rest) else { return nil }
            replies.append(reply)
        }
        return replies
    }

    /// Takes the first answer from some bytes.
    private init?(_ rest: inout ArraySlice<UInt8>) {
        guard let kind = rest.popFirst(), let end = rest.firstRange(of: [13, 10]) else { return nil }
        let line = Array(rest[..<end.lowerBound])
        rest = rest[end.upperBound...]
        guard kind == UInt8(ascii: "$") || kind == UInt8(ascii: "*") else {
            self = .line(kind, line)
            return
        }
        guard let count = Int(String(decoding: line, as: UTF8.self)) else { return nil }
        guard count >= 0 else {
            self = .raw([kind] + line + [13, 10])
            return
        }
        if kind == UInt8(ascii: "$") {
            guard rest.count >= count + 2 else { return nil }
            self = .bulk(Array(rest.prefix(count)))
            rest = rest.dropFirst(count + 2)
        } else {
            var elements: [HostileReply] = []
            for _ in 0..<count {
                guard let element = HostileReply(&rest) else { return nil }
                elements.append(element)
            }
            self = .array(elements)
        }
    }

    /// The wire form.
    public var bytes: [UInt8] {
        switch self {
        case .line(let kind, let text): [kind] + text + [13, 10]
        case .bulk(let bytes): Array("$\(bytes.count)\r\n".utf8) + bytes + [13, 10]
        case .array(let elements): Array("*\(elements.count)\r\n".utf8) + elements.flatMap(\.bytes)
        case .raw(let bytes): bytes
        }
    }

    /// The number of answers in it, including itself.
    private var count: Int {
        guard case .array(let elements) = self else { return 1 }
        return elements.reduce(1) { $0 + $1.count }
    }

    /// Turns one part of it into something that no Redis gives there.
    public mutating func spoil(by generator: inout some RandomNumberGenerator) {
        spoil(at: Int.random(in: 0..<count, using: &generator), &generator)
    }

    /// Spoils the part with a number, counted from the outside.
    private mutating func spoil(at place: Int, _ generator: inout some RandomNumberGenerator) {
        guard place > 0, case .array(var elements) = self else {
            self = Self.spoiled(self, &generator)
            return
        }
        var left = place - 1
        for index in elements.indices {
            if left < elements[index].count {
                elements[index].spoil(at: left, &generator)
                break
            }
            left -= elements[index].count
        }
        self = .array(elements)
    }

    /// Numbers that are likely to break arithmetic.
    private static let numbers = [
        "9223372036854775807", "-9223372036854775808", "-1", "0", "4503599627370496", "18446744073709551615",
        "1e309", "-0", "nan", "99999999999999999999999999", "1700000000000", "",
    ]

    /// A replacement for an answer.
    private static func spoiled(_ reply: HostileReply, _ generator: inout some RandomNumberGenerator)
        -> HostileReply
    {
        let number = Array((numbers.randomElement(using: &generator) ?? "").utf8)
        switch Int.random(in: 0..<16, using: &generator) {
        case 0, 1: return .line(UInt8(ascii: ":"), number)
        case 2: return .bulk(number)
        case 3: return .bulk(number + [UInt8(ascii: "-")] + number)
        case 4: return .bulk(number + [UInt8(ascii: " ")] + Array("a b c d e".utf8))
        case 5: return .raw(Array("$-1\r\n".utf8))
        case 6: return .raw(Array("*-1\r\n".utf8))
        case 7: return .array([])
        case 8: return .array(Array(repeating: .array([reply]), count: 3))
        case 9: return (0..<20).reduce(reply) { nested, _ in .array([nested]) }
        case 10:
            return .line(
                UInt8(ascii: "-"), Array("ERR \u{1B}[2J\u{9B}".utf8) + Array(repeating: 65, count: 5_000))
        case 11: return .raw(Array("*".utf8) + number + [13, 10])
        case 12: return .raw(Array("$".utf8) + number + [13, 10])
        case 13:
            return .bulk(
                (0..<Int.random(in: 0...300, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                })
        case 14: return .raw((0..<20).map { _ in UInt8.random(in: 0...255, using: &generator) })
        default:
            guard case .array(var elements) = reply, !elements.isEmpty else { return .array([reply, reply]) }
            elements.shuffle(using: &generator)
            if Bool.random(using: &generator) { elements.removeLast() } else { elements.append(elements[0]) }
            return .array(elements)
        }
    }
}
