// SPDX-License-Identifier: Apache-2.0

private import CRedis

/// An answer of Redis.
enum RedisReply: Equatable {
    /// A text or bytes.
    case bytes([UInt8])
    /// A number.
    case integer(Int)
    /// Several answers.
    case array([RedisReply])
    /// Nothing.
    case none
    /// An error, with the reason.
    case failure(String)

    /// Copies an answer of the library.
    @unsafe init(copying reply: OpaquePointer?) {
        switch unsafe UInt32(gatehouse_redis_kind_of(reply)) {
        case gatehouse_redis_integer.rawValue: self = unsafe .integer(Int(gatehouse_redis_number(reply)))
        case gatehouse_redis_array.rawValue:
            self = unsafe .array(
                (0..<gatehouse_redis_count(reply)).map {
                    unsafe RedisReply(copying: gatehouse_redis_element(reply, $0))
                })
        case gatehouse_redis_nil.rawValue: self = .none
        case gatehouse_redis_failure.rawValue:
            self = unsafe .failure(Self.shown(String(decoding: Self.bytes(of: reply), as: UTF8.self)))
        default: self = unsafe .bytes(Self.bytes(of: reply))
        }
    }

    /// Copies the bytes of a text or a status.
    private static func bytes(of reply: OpaquePointer?) -> [UInt8] {
        var length = 0
        guard let start = unsafe gatehouse_redis_bytes(reply, &length) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// Formats a server's text for messages: on one line, and shortened.
    static func shown(_ text: some StringProtocol) -> String {
        let line = text.prefix(longestShown).split(whereSeparator: \.isNewline).joined(separator: " ")
        return text.dropFirst(longestShown).isEmpty ? line : line + "…"
    }

    /// The most characters of a server's text to show; a member's script answers with fewer.
    private static let longestShown = 300

    /// Returns this answer; throws an error answer.
    func checked() throws(ClusterFailure) -> RedisReply {
        if case .failure = self { throw failure }
        return self
    }

    /// Whether the server does not know the script that it should run.
    var lacksScript: Bool {
        if case .failure(let reason) = self { reason.hasPrefix("NOSCRIPT") } else { false }
    }

    /// The failure for an error, or for an unexpected answer.
    var failure: ClusterFailure {
        guard case .failure(let reason) = self else { return .refused("Redis gave an unexpected answer") }
        switch reason.prefix(while: { $0 != " " }) {
        case "OOM": return .full(reason)
        case "LOADING", "READONLY", "MASTERDOWN", "BUSY": return .lost(reason)
        default: return .refused(reason)
        }
    }

    /// The elements of an array; none for anything else.
    var elements: [RedisReply] { if case .array(let elements) = self { elements } else { [] } }

    /// The bytes; nil for anything else.
    var data: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The bytes as a text; nil for anything else.
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }

    /// The number, possibly written as a text; nil for anything else, and for an implausibly large one.
    ///
    /// Sums of some of them, and a thousand times one, are numbers too.
    var number: Int? {
        let number = if case .integer(let number) = self { number } else { text.flatMap { Int($0) } }
        return number.flatMap { $0.magnitude <= Self.greatest ? $0 : nil }
    }

    /// The greatest magnitude of a number that an engine may give: milliseconds since 1970 are far within.
    static let greatest: UInt = 1 << 52

    /// The decimal number in a text; nil for anything else, and for one that is not finite or far too large.
    var real: Double? {
        text.flatMap { Double($0) }.flatMap { $0.magnitude <= Double(Self.greatest) ? $0 : nil }
    }

    /// The bytes as an offset; nil for anything else.
    var offset: ClusterOffset? { text.flatMap { ClusterOffset($0) } }

    /// The elements of an array as alternating names and values; the last of a name counts.
    var pairs: [String: RedisReply] {
        let elements = elements
        var pairs: [String: RedisReply] = [:]
        for index in stride(from: 0, to: elements.count - 1, by: 2) {
            guard let name = elements[index].text else { continue }
            pairs[name] = elements[index + 1]
        }
        return pairs
    }
}
