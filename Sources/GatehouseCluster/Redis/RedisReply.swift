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

    /// Copies an answer of the library, and frees it.
    init(taking reply: OpaquePointer) {
        unsafe self.init(copying: reply)
        unsafe gatehouse_redis_free_reply(reply)
    }

    /// Copies an answer.
    private init(copying reply: OpaquePointer) {
        switch unsafe UInt32(gatehouse_redis_kind_of(reply)) {
        case gatehouse_redis_integer.rawValue: self = unsafe .integer(Int(gatehouse_redis_number(reply)))
        case gatehouse_redis_array.rawValue:
            self = unsafe .array(
                (0..<gatehouse_redis_count(reply)).map {
                    unsafe RedisReply(copying: gatehouse_redis_element(reply, $0))
                })
        case gatehouse_redis_nil.rawValue: self = .none
        case gatehouse_redis_failure.rawValue:
            self = unsafe .failure(String(decoding: Self.bytes(of: reply), as: UTF8.self))
        default: self = unsafe .bytes(Self.bytes(of: reply))
        }
    }

    /// Copies what a text or a status holds.
    private static func bytes(of reply: OpaquePointer) -> [UInt8] {
        var length = 0
        guard let start = unsafe gatehouse_redis_bytes(reply, &length) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    /// The elements of an array; none of anything else.
    var elements: [RedisReply] { if case .array(let elements) = self { elements } else { [] } }

    /// The bytes; nil of anything else.
    var data: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The bytes as a text; nil of anything else.
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }

    /// The number, also one that is written as a text; nil of anything else.
    var number: Int? { if case .integer(let number) = self { number } else { text.flatMap { Int($0) } } }
}
