// SPDX-License-Identifier: Apache-2.0

private import CHiredis

/// A connection to Redis, which answers commands in their order; for one thread at a time.
@safe final class RedisConnection {
    /// The library's connection.
    private let redis: OpaquePointer
    /// Commands that were not answered yet.
    private var waiting = 0

    /// Connects.
    ///
    /// - Parameter patience: how long connecting, and each answer, may take.
    /// - Throws: `missing` without the library, `lost` when nobody answers.
    init(_ address: RedisAddress, patience: Duration) throws(ClusterFailure) {
        if let problem = unsafe gatehouse_redis_load() { throw unsafe .missing(String(cString: problem)) }
        let milliseconds = Int32(clamping: Int(patience / .milliseconds(1)))
        let made =
            switch address {
            case .unix(let path): unsafe gatehouse_redis_connect_unix(path, milliseconds)
            case .tcp(let host, let port): unsafe gatehouse_redis_connect_tcp(host, Int32(port), milliseconds)
            }
        guard let made = unsafe made else { throw .lost("there is no memory") }
        unsafe redis = made
        try check()
    }

    deinit { unsafe gatehouse_redis_close(redis) }

    /// Throws when the connection is of no use any more.
    private func check() throws(ClusterFailure) {
        if let problem = unsafe gatehouse_redis_error(redis) { throw unsafe .lost(String(cString: problem)) }
    }

    /// Adds a command, which is sent at the latest when an answer is waited for.
    func send(_ words: [[UInt8]]) throws(ClusterFailure) {
        let lengths = words.map(\.count)
        let bytes = words.flatMap { $0 }
        let isAdded = unsafe bytes.withUnsafeBytes { bytes in
            var start = bytes.baseAddress
            let pointers: [UnsafePointer<CChar>?] = unsafe lengths.map { length in
                defer { unsafe start = start.map { unsafe $0 + length } }
                return unsafe start?.assumingMemoryBound(to: CChar.self)
            }
            return unsafe gatehouse_redis_append(redis, Int32(words.count), pointers, lengths)
        }
        guard isAdded else {
            try check()
            throw .lost("a command could not be written")
        }
        waiting += 1
    }

    /// Waits for the answer to the oldest command without one.
    func receive() throws(ClusterFailure) -> RedisReply {
        precondition(waiting > 0, "there is no command without an answer")
        guard let reply = unsafe gatehouse_redis_receive(redis) else {
            try check()
            throw .lost("the connection was closed")
        }
        waiting -= 1
        return unsafe RedisReply(taking: reply)
    }

    /// Asks for one thing; an answer that says no is thrown as `refused`.
    func ask(_ words: [String]) throws(ClusterFailure) -> RedisReply { try ask(words.map { Array($0.utf8) }) }

    /// Asks for one thing; an answer that says no is thrown as `refused`.
    func ask(_ words: [[UInt8]]) throws(ClusterFailure) -> RedisReply {
        try send(words)
        let reply = try receive()
        if case .failure(let reason) = reply { throw .refused(reason) }
        return reply
    }
}
