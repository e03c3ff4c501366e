// SPDX-License-Identifier: Apache-2.0

private import CRedis

/// The input of a script.
struct RedisCall {
    /// The keys.
    let keys: [String]
    /// The number of arguments that `write` adds.
    let arguments: Int
    /// Adds the arguments.
    let write: (inout RedisCommands) -> Void
}

/// A connection to Redis, which answers commands in order; for one thread at a time.
@safe final class RedisConnection {
    /// The connection of `CRedis`.
    private let redis: OpaquePointer
    /// The number of unanswered commands.
    private var waiting = 0
    /// Whether any command was answered.
    private var hasAnswered = false
    /// How long the answers to pending commands may take in total, beyond intended waits.
    private let patience: Duration
    /// Whether the time limit of the pending answers is running.
    private var isTimed = false
    /// The digests of the scripts that the server knows.
    private var digests: [RedisScript: String] = [:]
    /// The commands being encoded; kept for their capacity.
    private var commands = RedisCommands()

    /// How to connect to the server, which Sentinels may have named.
    let access: RedisAccess
    /// Whether Sentinels have named the server.
    let isNamed: Bool
    /// Told of each answer; nil where nobody asks for the server's silences.
    var pulse: RedisPulse?

    /// Connects and authenticates.
    ///
    /// - Parameter patience: how long connecting, and each answer, may take.
    /// - Throws: `missing` without a library, `lost` when nobody answers, `denied` when access is denied.
    init(_ access: RedisAccess, patience: Duration) throws(ClusterFailure) {
        let primary = try RedisSentinels.primary(access, patience: patience)
        let access = primary?.access ?? access
        guard let made = unsafe gatehouse_redis_make() else { throw .lost("there is no memory") }
        unsafe redis = made
        self.access = access
        isNamed = primary != nil
        self.patience = patience
        begin(patience)
        switch access.address.place {
        case .unix(let path): unsafe gatehouse_redis_connect_unix(redis, path)
        case .tcp(let host, let port): unsafe gatehouse_redis_connect_tcp(redis, host, Int32(port))
        case .sentinels: preconditionFailure("Sentinels name a port")
        }
        try check()
        if access.address.isEncrypted {
            begin(patience)
            try encrypt()
        }
        if let password = access.password { try authenticate(password) }
    }

    /// Encrypts all further communication.
    private func encrypt() throws(ClusterFailure) {
        if let problem = unsafe gatehouse_tls_load() {
            throw unsafe .missing("\(String(cString: problem)); install libssl3")
        }
        let tls = access.tls
        do {
            try tls.authorities?.judge(isSecret: false)
            try tls.identity?.certificate.judge(isSecret: false)
            try tls.identity?.key.judge(isSecret: true)
        } catch {
            throw .denied(error.sentence)
        }
        unsafe Self.with(tls.authorities) { authorities in
            unsafe Self.with(tls.identity?.certificate) { certificate in
                unsafe Self.with(tls.identity?.key) { key in
                    unsafe access.serverName.withCString { name in
                        var terms = unsafe gatehouse_redis_tls(
                            authorities: authorities, certificate: certificate, key: key, server_name: name)
                        unsafe gatehouse_redis_encrypt(redis, &terms)
                    }
                }
            }
        }
        do throws(ClusterFailure) {
            try check()
        } catch {
            // A server that does not speak TLS waits for the rest of a command.
            guard case .lost(let words) = error else { throw error }
            throw .lost(
                "\(words), before TLS was negotiated; if it does not speak TLS at this port, name the port at which it does, or write redis://"
            )
        }
    }

    /// Passes the path of a file as a C string, valid while the body runs; nil for none.
    private static func with(_ file: AccessFile?, _ body: (UnsafePointer<CChar>?) -> Void) {
        guard let file else { return body(nil) }
        unsafe file.path.withCString(body)
    }

    /// Authenticates.
    private func authenticate(_ file: AccessFile) throws(ClusterFailure) {
        let password: [UInt8]
        do {
            password = try file.password()
        } catch {
            throw .denied(error.sentence)
        }
        let user = access.address.user
        send { commands in
            commands.begin(words: user == nil ? 2 : 3)
            commands.add("AUTH")
            if let user { commands.add(user) }
            commands.add(password)
        }
        _ = try receive().checked()
    }

    deinit { unsafe gatehouse_redis_close(redis) }

    /// Sets a common time limit for the following calls.
    private func begin(_ time: Duration) { unsafe gatehouse_redis_begin(redis, Self.milliseconds(time)) }

    /// Converts a time for the library, at least one.
    private static func milliseconds(_ time: Duration) -> Int32 {
        Int32(clamping: max(1, Int((time / .milliseconds(1)).rounded(.up))))
    }

    /// Throws when the connection is unusable.
    private func check() throws(ClusterFailure) {
        let fault = unsafe gatehouse_redis_fault_of(redis)
        let said = unsafe String(cString: gatehouse_redis_words(fault))
        // The configuration does not say which server it was.
        let words = isNamed ? "\(access.address): \(said)" : said
        let number = unsafe Int(fault.pointee.number)
        switch unsafe fault.pointee.kind {
        case gatehouse_redis_sound: return
        case gatehouse_redis_distrusted: throw access.distrust(number, words)
        case gatehouse_redis_rejected: throw access.rejection(number, words)
        case gatehouse_redis_disagreed: throw access.disagreement(words)
        case gatehouse_redis_authorities: throw access.unusable(access.tls.authorities, words)
        case gatehouse_redis_certificate: throw access.unusable(access.tls.identity?.certificate, words)
        case gatehouse_redis_key: throw access.unusable(access.tls.identity?.key, words)
        case gatehouse_redis_mismatch: throw access.mismatch
        case gatehouse_redis_excessive: throw .excessive(words)
        default:
            // A server that speaks TLS hangs up silently on a client that does not.
            guard !hasAnswered, !access.address.isEncrypted, waiting > 0, case .tcp = access.address.place
            else {
                throw .lost(words)
            }
            throw .lost("\(words), before any answer; if it speaks TLS at this port, write rediss://")
        }
    }

    // MARK: - Commands

    /// Adds a command, sent no later than when an answer is awaited; without memory for it, awaiting throws.
    func send(_ write: (inout RedisCommands) -> Void) {
        commands.removeAll()
        write(&commands)
        unsafe commands.bytes.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { unsafe gatehouse_redis_append(redis, start, bytes.count) }
        }
        waiting += 1
    }

    /// Adds a command of words.
    func send(_ words: String...) { send(words) }

    /// Adds a command of words in an array.
    private func send(_ words: [String]) {
        send { commands in
            commands.begin(words: words.count)
            for word in words { commands.add(word) }
        }
    }

    /// Adds a command that runs a script.
    ///
    /// - Parameter write: adds the arguments.
    func send(
        _ script: RedisScript, keys: [String], arguments: Int, _ write: (inout RedisCommands) -> Void
    ) {
        guard let digest = digests[script] else {
            preconditionFailure("scripts are loaded before they are run")
        }
        send { commands in
            commands.begin(words: 3 + keys.count + arguments)
            commands.add("EVALSHA")
            commands.add(digest)
            commands.add(keys.count)
            for key in keys { commands.add(key) }
            write(&commands)
        }
    }

    /// Loads all scripts into the server.
    private func loadScripts() throws(ClusterFailure) {
        for script in RedisScript.allCases { send("SCRIPT", "LOAD", script.text) }
        for script in RedisScript.allCases {
            let reply = try receive()
            guard let digest = reply.text else { throw reply.failure }
            digests[script] = digest
        }
    }

    /// Checks that a cluster can be in the server, loads all scripts into it, and checks the rights to everything done with the cluster of
    /// these keys; returns the id that distinguishes the server's process from all others.
    @discardableResult
    func prepare(for keys: RedisKeys) throws(ClusterFailure) -> String {
        send("INFO", "server")
        send("INFO", "replication")
        var texts: [String] = []
        for _ in 0..<2 {
            let reply = unsafe try receive { unsafe RedisReply(copying: $0) }
            if let text = reply.text { texts.append(text) }
            // Without the right to ask, the rights below say which are missing.
            if case .failure(let reason) = reply, !reason.hasPrefix("NOPERM") { throw failure(of: reply) }
        }
        let facts = RedisFacts(texts.joined(separator: "\n"))
        if texts.count == 2 { try judge(facts) }
        try loadScripts()
        try RedisRights.check(self, for: keys)
        guard let run = facts.run else { throw .refused("Redis gave an unexpected answer") }
        return run
    }

    /// Throws why a cluster cannot be in a server of these facts.
    private func judge(_ facts: RedisFacts) throws(ClusterFailure) {
        // The Sentinels have not noticed, or not told it, that another one took its place.
        if isNamed, facts.primary != nil {
            throw .lost("\(access.address) is a replica, although Sentinels name it")
        }
        if let objection = facts.objection(at: access.address) { throw objection }
    }

    // MARK: - Answers

    /// Waits for the answer to the oldest unanswered command, and passes it in place.
    ///
    /// Pending commands share one time limit for all their answers, so that a server gains none by answering slowly.
    ///
    /// - Parameter longer: how long the server itself may wait before it answers.
    @unsafe func receive<Result>(longer: Duration = .zero, _ body: (OpaquePointer) -> Result)
        throws(ClusterFailure)
        -> Result
    {
        precondition(waiting > 0, "there is no command without an answer")
        if !isTimed { begin(patience + longer) }
        isTimed = waiting > 1
        guard let reply = unsafe gatehouse_redis_receive(redis) else {
            try check()
            throw .lost("the connection was closed")
        }
        waiting -= 1
        hasAnswered = true
        pulse?.beat()
        return unsafe body(reply)
    }

    /// Waits for the answer to the oldest unanswered command; may return an error answer.
    ///
    /// - Throws: `denied` for an answer that denies access.
    func receive() throws(ClusterFailure) -> RedisReply {
        let reply = unsafe try receive { unsafe RedisReply(copying: $0) }
        if case .failure(let reason) = reply, let refusal = refusal(reason) { throw refusal }
        return reply
    }

    /// Sends one command; throws an error answer.
    func ask(_ words: String...) throws(ClusterFailure) -> RedisReply {
        send(words)
        return try receive().checked()
    }

    /// Runs a script, reloading scripts that the server has lost; throws an error answer.
    func run(
        _ script: RedisScript, keys: [String], arguments: Int, _ write: (inout RedisCommands) -> Void
    )
        throws(ClusterFailure) -> RedisReply
    {
        send(script, keys: keys, arguments: arguments, write)
        let reply = try receive()
        guard reply.lacksScript else { return try reply.checked() }
        try loadScripts()
        send(script, keys: keys, arguments: arguments, write)
        return try receive().checked()
    }

    /// Runs a script several times without waiting in between; returns all answers, including error answers.
    func run(_ script: RedisScript, _ calls: [RedisCall]) throws(ClusterFailure) -> [RedisReply] {
        var replies: [RedisReply] = []
        for call in calls { send(script, keys: call.keys, arguments: call.arguments, call.write) }
        for _ in calls { replies.append(try receive()) }
        let forgotten = replies.indices.filter { replies[$0].lacksScript }
        guard !forgotten.isEmpty else { return replies }
        try loadScripts()
        for index in forgotten {
            let call = calls[index]
            replies[index] = try run(script, keys: call.keys, arguments: call.arguments, call.write)
        }
        return replies
    }

    /// Interprets an answer that denies access rather than a command; nil for any other.
    private func refusal(_ reason: String) -> ClusterFailure? {
        let refusal = access.refusal(reason)
        // Right after a failover no replica has come yet; and a primary of before has none, and Sentinels soon name another one.
        if isNamed, reason.hasPrefix("NOREPLICAS"), case .denied(let words) = refusal {
            return .lost("\(access.address): \(words)")
        }
        return refusal
    }

    /// Returns the failure for an unexpected answer.
    func failure(of reply: RedisReply) -> ClusterFailure {
        if case .failure(let reason) = reply, let refusal = refusal(reason) { return refusal }
        return reply.failure
    }
}
