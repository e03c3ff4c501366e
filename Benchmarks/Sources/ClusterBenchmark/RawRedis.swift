// SPDX-License-Identifier: Apache-2.0

private import CRedis
private import Glibc

/// A client that puts ready commands into Redis and reads streams back, and does nothing with what it reads.
@safe final class RawRedis {
    /// The library's connection.
    private let redis: OpaquePointer

    /// Connects to a socket; ends the program when that fails.
    init(_ path: String) {
        guard let made = unsafe gatehouse_redis_make() else { fatalError("there is no memory") }
        unsafe redis = made
        unsafe gatehouse_redis_begin(redis, 60_000)
        unsafe gatehouse_redis_connect_unix(redis, path)
        guard unsafe gatehouse_redis_fault_of(redis).pointee.kind == gatehouse_redis_sound else {
            fatalError("nobody listens at \(path)")
        }
    }

    deinit { unsafe gatehouse_redis_close(redis) }

    /// A command in the words of the protocol.
    static func command(_ words: [String]) -> [UInt8] {
        Array("*\(words.count)\r\n".utf8) + words.flatMap { Array("$\($0.utf8.count)\r\n\($0)\r\n".utf8) }
    }

    /// Sends a command and waits for its answer.
    func ask(_ words: String...) {
        send(Self.command(words))
        receive(1)
    }

    /// Adds commands to what is sent with the next answer that is waited for.
    func send(_ commands: [UInt8]) {
        let isSent = unsafe commands.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe gatehouse_redis_append(redis, start, bytes.count)
        }
        precondition(isSent)
    }

    /// Waits for answers, which must not say no.
    func receive(_ count: Int) {
        for _ in 0..<count {
            unsafe gatehouse_redis_begin(redis, 60_000)
            guard let reply = unsafe gatehouse_redis_receive(redis) else { fatalError("no answer") }
            let kind = unsafe UInt32(gatehouse_redis_kind_of(reply))
            precondition(kind != gatehouse_redis_failure.rawValue)
        }
    }

    /// Reads streams from their beginnings until so many entries were there.
    func read(_ streams: [String], until total: Int, atMost most: Int) {
        var offsets = Array(repeating: "0-0", count: streams.count)
        let places = Dictionary(uniqueKeysWithValues: streams.enumerated().map { ($1, $0) })
        var count = 0
        while count < total {
            send(
                Self.command(["XREAD", "COUNT", "\(most)", "BLOCK", "10000", "STREAMS"] + streams + offsets))
            unsafe gatehouse_redis_begin(redis, 60_000)
            guard let reply = unsafe gatehouse_redis_receive(redis) else { fatalError("no answer") }
            for index in 0..<(unsafe gatehouse_redis_count(reply)) {
                let stream = unsafe gatehouse_redis_element(reply, index)
                let entries = unsafe gatehouse_redis_element(stream, 1)
                let there = unsafe gatehouse_redis_count(entries)
                count += there
                let last = unsafe gatehouse_redis_element(entries, there - 1)
                let name = unsafe Self.text(gatehouse_redis_element(stream, 0))
                if let place = places[name] {
                    offsets[place] = unsafe Self.text(gatehouse_redis_element(last, 0))
                }
            }
        }
    }

    /// What a text holds.
    private static func text(_ reply: OpaquePointer?) -> String {
        var length = 0
        let bytes = unsafe gatehouse_redis_bytes(reply, &length)
        return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
}
