// SPDX-License-Identifier: Apache-2.0

private import CHiredis

/// What Redis answers.
enum RedisReply: Equatable {
    /// A text or bytes.
    case bytes([UInt8])
    /// A number.
    case integer(Int)
    /// Several answers.
    case array([RedisReply])
    /// Nothing.
    case none
    /// That something was not done, and why.
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

    /// Copies what a text or a status holds.
    private static func bytes(of reply: OpaquePointer?) -> [UInt8] {
        var length = 0
        guard let start = unsafe gatehouse_redis_bytes(reply, &length) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// A text of a server as messages show it: on one line, and not all of a long one.
    static func shown(_ text: some StringProtocol) -> String {
        let line = text.prefix(longestShown).split(whereSeparator: \.isNewline).joined(separator: " ")
        return text.dropFirst(longestShown).isEmpty ? line : line + "…"
    }

    /// So many characters of a text of a server are shown; what a script of a member answers has fewer.
    private static let longestShown = 300

    /// This answer, unless it says no, which is thrown.
    func checked() throws(ClusterFailure) -> RedisReply {
        if case .failure = self { throw failure }
        return self
    }

    /// What it means, where it is not what was expected.
    var failure: ClusterFailure {
        guard case .failure(let reason) = self else { return .refused("Redis gave an unexpected answer") }
        switch reason.prefix(while: { $0 != " " }) {
        case "OOM", "MISCONF", "NOREPLICAS": return .full(reason)
        case "LOADING", "READONLY", "MASTERDOWN", "BUSY": return .lost(reason)
        default: return .refused(reason)
        }
    }

    /// The elements of an array; none of anything else.
    var elements: [RedisReply] { if case .array(let elements) = self { elements } else { [] } }

    /// The bytes; nil of anything else.
    var data: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The bytes as a text; nil of anything else.
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }

    /// The number, also one that is written as a text; nil of anything else, and of one so large that nobody has counted to it.
    ///
    /// Sums of some of them, and a thousand times one, are numbers too.
    var number: Int? {
        let number = if case .integer(let number) = self { number } else { text.flatMap { Int($0) } }
        return number.flatMap { Self.numbers.contains($0) ? $0 : nil }
    }

    /// The numbers that an engine may give: milliseconds since 1970 are far within.
    static let numbers = -(1 << 52)...1 << 52

    /// The number with places behind the point that a text is; nil of anything else, and of one that is not finite or far too large.
    var real: Double? {
        text.flatMap { Double($0) }.flatMap { $0.magnitude <= Double(Self.numbers.upperBound) ? $0 : nil }
    }

    /// The bytes as an offset; nil of anything else.
    var offset: ClusterOffset? { text.flatMap { ClusterOffset($0) } }

    /// The elements of an array as names and values, which stand in turns; the last of a name counts.
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
