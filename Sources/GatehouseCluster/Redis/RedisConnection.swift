// SPDX-License-Identifier: Apache-2.0

private import CHiredis

/// A connection to Redis, which answers commands in their order; for one thread at a time.
@safe final class RedisConnection {
    /// The library's connection.
    private let redis: OpaquePointer
    /// Commands that were not answered yet.
    private var waiting = 0
    /// How long an answer may take that does not wait for anything else.
    private let patience: Duration
    /// How long the library waits for an answer now.
    private var currentPatience: Duration
    /// The digests by which the server knows scripts.
    private var digests: [RedisScript: String] = [:]
    /// The commands that are written down now; kept for their room.
    private var commands = RedisCommands()

    /// Connects.
    ///
    /// - Parameter patience: how long connecting, and each answer, may take.
    /// - Throws: `missing` without the library, `lost` when nobody answers.
    init(_ address: RedisAddress, patience: Duration) throws(ClusterFailure) {
        if let problem = unsafe gatehouse_redis_load() { throw unsafe .missing(String(cString: problem)) }
        let made =
            switch address {
            case .unix(let path): unsafe gatehouse_redis_connect_unix(path, Self.milliseconds(patience))
            case .tcp(let host, let port):
                unsafe gatehouse_redis_connect_tcp(host, Int32(port), Self.milliseconds(patience))
            }
        guard let made = unsafe made else { throw .lost("there is no memory") }
        unsafe redis = made
        self.patience = patience
        currentPatience = patience
        try check()
    }

    deinit { unsafe gatehouse_redis_close(redis) }

    /// A time as the library takes it, at least one.
    private static func milliseconds(_ time: Duration) -> Int32 {
        Int32(clamping: max(1, Int((time / .milliseconds(1)).rounded(.up))))
    }

    /// Throws when the connection is of no use any more.
    private func check() throws(ClusterFailure) {
        if let problem = unsafe gatehouse_redis_error(redis) { throw unsafe .lost(String(cString: problem)) }
    }

    // MARK: - Commands

    /// Adds commands, which are sent at the latest when an answer is waited for.
    ///
    /// - Parameter count: how many `write` writes down.
    func send(_ count: Int = 1, _ write: (inout RedisCommands) -> Void) throws(ClusterFailure) {
        commands.removeAll()
        write(&commands)
        let isAdded = unsafe commands.bytes.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe gatehouse_redis_append(redis, start, bytes.count)
        }
        guard isAdded else {
            try check()
            throw .lost("a command could not be written")
        }
        waiting += count
    }

    /// Adds a command of words.
    func send(_ words: String...) throws(ClusterFailure) {
        try send { commands in
            commands.begin(words: words.count)
            for word in words { commands.add(word) }
        }
    }

    /// Adds a command that runs a script.
    ///
    /// - Parameter write: adds the arguments.
    func send(
        _ script: RedisScript, keys: [String], arguments: Int, _ write: (inout RedisCommands) -> Void
    ) throws(ClusterFailure) {
        guard let digest = digests[script] else {
            preconditionFailure("scripts are loaded before they are run")
        }
        try send { commands in
            commands.begin(words: 3 + keys.count + arguments)
            commands.add("EVALSHA")
            commands.add(digest)
            commands.add(keys.count)
            for key in keys { commands.add(key) }
            write(&commands)
        }
    }

    /// Makes all scripts known to the server.
    func loadScripts() throws(ClusterFailure) {
        for script in RedisScript.allCases { try send("SCRIPT", "LOAD", script.text) }
        for script in RedisScript.allCases {
            let reply = try receive()
            guard let digest = reply.text else { throw Self.failure(reply) }
            digests[script] = digest
        }
    }

    // MARK: - Answers

    /// Waits for the answer to the oldest command without one, and shows it where it is.
    ///
    /// - Parameter longer: how long the server may wait itself before it answers.
    @unsafe func receive<Result>(longer: Duration = .zero, _ body: (OpaquePointer) -> Result)
        throws(ClusterFailure)
        -> Result
    {
        precondition(waiting > 0, "there is no command without an answer")
        let needed = patience + longer
        // Two system calls that calls with nearly the same patience save each other.
        if currentPatience < needed || currentPatience > needed + .seconds(1) {
            unsafe gatehouse_redis_set_patience(redis, Self.milliseconds(needed))
            currentPatience = needed
        }
        guard let reply = unsafe gatehouse_redis_receive(redis) else {
            try check()
            throw .lost("the connection was closed")
        }
        waiting -= 1
        defer { unsafe gatehouse_redis_free_reply(reply) }
        return unsafe body(reply)
    }

    /// Waits for the answer to the oldest command without one; also one that says no.
    func receive() throws(ClusterFailure) -> RedisReply {
        unsafe try receive { unsafe RedisReply(copying: $0) }
    }

    /// Asks for one thing; an answer that says no is thrown.
    func ask(_ words: String...) throws(ClusterFailure) -> RedisReply {
        try send { commands in
            commands.begin(words: words.count)
            for word in words { commands.add(word) }
        }
        return try receive().checked()
    }

    /// Runs a script; an answer that says no is thrown. A server that has forgotten its scripts is told them again.
    func run(
        _ script: RedisScript, keys: [String], arguments: Int = 0,
        _ write: (inout RedisCommands) -> Void = { _ in }
    )
        throws(ClusterFailure) -> RedisReply
    {
        try send(script, keys: keys, arguments: arguments, write)
        let reply = try receive()
        guard case .failure(let reason) = reply, reason.hasPrefix("NOSCRIPT") else {
            return try reply.checked()
        }
        try loadScripts()
        try send(script, keys: keys, arguments: arguments, write)
        return try receive().checked()
    }

    /// Runs a script with arguments that are texts.
    func run(_ script: RedisScript, keys: [String], _ arguments: String...) throws(ClusterFailure)
        -> RedisReply
    {
        try run(script, keys: keys, arguments: arguments.count) { commands in
            for argument in arguments { commands.add(argument) }
        }
    }

    /// What an answer that should not be means.
    static func failure(_ reply: RedisReply) -> ClusterFailure {
        guard case .failure(let reason) = reply else { return .refused("Redis gave an unexpected answer") }
        switch reason.prefix(while: { $0 != " " }) {
        case "OOM", "MISCONF", "NOREPLICAS": return .full(reason)
        case "LOADING", "READONLY", "MASTERDOWN", "BUSY": return .lost(reason)
        default: return .refused(reason)
        }
    }
}
