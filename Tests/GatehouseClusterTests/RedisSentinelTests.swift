// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// A Redis that Sentinels name, and what happens when they name another one.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct RedisSentinelTests {
    /// A cluster behind Sentinels, which trusts what one replica has.
    private func cluster(_ ports: [Int], replicas: Int = 1, patience: Duration = .seconds(2)) -> RedisCluster
    {
        let address = RedisAddress(
            place: .sentinels(ports.map { .init(host: "127.0.0.1", number: $0) }, name: "shop"),
            isEncrypted: false)
        return RedisCluster(
            RedisAccess(address), name: "shop", partitions: 4, replicas: replicas, patience: patience,
            pause: .zero)
    }

    /// A server that others can copy.
    private func server(_ port: Int, of primary: Int? = nil) throws -> RedisServer {
        var options = ["--port", "\(port)", "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"]
        if let primary { options += ["--replicaof", "127.0.0.1", "\(primary)"] }
        return try RedisServer(options: options)
    }

    /// A server and so many that copy it and follow it already; the first port is that of the server.
    private func servers(
        withReplicas count: Int
    ) throws -> (ports: [Int], primary: RedisServer, replicas: [RedisServer]) {
        let ports = try (0...count).map { _ in try LocalPort.free() }
        let primary = try server(ports[0])
        let replicas = try ports.dropFirst().map { try server($0, of: ports[0]) }
        try primary.waitForReplicas(count)
        return (ports, primary, replicas)
    }

    @Test func `members go on with the replica that is promoted, and miss nothing that was confirmed`() throws
    {
        let (ports, primary, replicas) = try servers(withReplicas: 2)
        let sentinel = try RedisSentinel(of: "shop", at: ports[0])
        try sentinel.wait(forReplicas: 2)
        // One that does not answer is passed over.
        let cluster = cluster([try LocalPort.free(), sentinel.port])
        let member = ClusterPresence(name: "a", life: "1")
        var engine = try cluster.connect()
        try engine.join(member)
        func append(_ number: UInt64) throws(ClusterFailure) {
            var batch = ClusterBatch()
            batch.add([UInt8(number)], to: 1, from: ClusterOrigin(source: "in", sequence: number))
            try engine.append(batch)
        }
        for number in 1...20 { try append(UInt64(number)) }
        try primary.kill()
        #expect(throws: ClusterFailure.self) { try append(21) }
        var hasGoneOn = false
        while !hasGoneOn {
            try sentinel.takeWhatIsThere()
            for replica in replicas { try replica.takeWhatIsThere() }
            do throws(ClusterFailure) {
                engine = try cluster.connect()
                try append(21)
                hasGoneOn = true
            } catch {
                guard case .lost = error else { throw error }
            }
        }
        var once: [[UInt8]] = []
        for action in try engine.actions(of: 1) where once.last != action { once.append(action) }
        #expect(once == (1...21).map { [UInt8($0)] })
    }

    @Test func `Sentinels that do not answer, or know no such server, are told`() throws {
        let port = try LocalPort.free()
        let other = try server(try LocalPort.free())
        let sentinel = try RedisSentinel(of: "mall", at: try LocalPort.free())
        #expect(
            throws: ClusterFailure.lost(
                "the Sentinel at 127.0.0.1:\(port): Connection refused; the Sentinel at 127.0.0.1:\(sentinel.port) knows no shop"
            )
        ) { _ = try cluster([port, sentinel.port]).connect() }
        try other.takeWhatIsThere()
    }

    /// The access to what one Sentinel names, with a login from a file.
    private func access(_ port: Int, user: String?, password: String?, in folder: TemporaryFolder) throws
        -> RedisAccess
    {
        let address = RedisAddress(
            place: .sentinels([.init(host: "127.0.0.1", number: port)], name: "shop"), isEncrypted: false)
        guard let password else { return RedisAccess(address) }
        try FileSystem.setMode(0o600, of: try folder.write(password + "\n", to: "password"))
        return RedisAccess(
            address, sentinels: .init(user: user, password: AccessFile("password", from: folder.path)))
    }

    @Test(
        arguments: [
            ("requirepass secret", nil),
            (
                "user default off\nuser watcher on >secret +auth +sentinel|get-master-addr-by-name +sentinel|master",
                "watcher"
            ),
        ] as [(String, String?)])
    func `Sentinels that ask for a password get their own, and the server none`(lines: String, user: String?)
        throws
    {
        let port = try LocalPort.free()
        let server = try server(port)
        let sentinel = try RedisSentinel(of: "shop", at: port, lines: lines)
        let folder = try TemporaryFolder()
        func connect(_ password: String?) throws {
            let login = try access(sentinel.port, user: user, password: password, in: folder)
            _ = try RedisCluster(login, name: "shop", partitions: 4).connect()
        }
        try connect("secret")
        #expect(
            throws: ClusterFailure.denied(
                "the Sentinel at 127.0.0.1:\(sentinel.port): it asks for a password: NOAUTH Authentication required; write it into a file, and name that by \"password\" in \"sentinels\""
            )
        ) { try connect(nil) }
        #expect(
            throws: ClusterFailure.denied(
                "the Sentinel at 127.0.0.1:\(sentinel.port): it does not accept the password in \(folder("password")) for \(user.map { "the user \($0)" } ?? "the default user"): WRONGPASS invalid username-password pair or user is disabled; write the right one there"
            )
        ) { try connect("wrong") }
        try server.takeWhatIsThere()
    }

    @Test func `a Sentinel that asks for no password says so, and one that gives too few rights`() throws {
        let port = try LocalPort.free()
        let server = try server(port)
        let folder = try TemporaryFolder()
        let open = try RedisSentinel(of: "shop", at: port)
        #expect(
            throws: ClusterFailure.denied(
                "the Sentinel at 127.0.0.1:\(open.port): it has no password for the default user, and one is in \(folder("password")); give it that one by requirepass, or remove \"password\" from \"sentinels\""
            )
        ) {
            let login = try access(open.port, user: nil, password: "secret", in: folder)
            _ = try RedisCluster(login, name: "shop", partitions: 4).connect()
        }
        let strict = try RedisSentinel(of: "shop", at: port, lines: "user watcher on >secret +auth +ping")
        let login = try access(strict.port, user: "watcher", password: "secret", in: folder)
        let error = #expect(throws: ClusterFailure.self) {
            _ = try RedisCluster(login, name: "shop", partitions: 4).connect()
        }
        let words = error.map { "\($0)" } ?? ""
        let start =
            "the Sentinel at 127.0.0.1:\(strict.port): it does not let the user watcher do what a member must: NOPERM"
        #expect(words.hasPrefix(start), "\(words)")
        try server.takeWhatIsThere()
    }

    @Test func `a server that is a replica is not taken for the one that Sentinels name`() throws {
        let (ports, primary, replicas) = try servers(withReplicas: 1)
        let sentinel = try RedisSentinel(of: "shop", at: ports[0])
        let cluster = cluster([sentinel.port], replicas: 0)
        let engine = try cluster.connect()
        try engine.join(ClusterPresence(name: "a", life: "1"))
        // As a Sentinel does it to one that comes back.
        try replicas[0].call("REPLICAOF", "NO", "ONE")
        try primary.call("REPLICAOF", "127.0.0.1", "\(ports[1])")
        var batch = ClusterBatch()
        batch.add([1], to: 1, from: ClusterOrigin(source: "in", sequence: 1))
        #expect(
            throws: ClusterFailure.lost(
                "redis://127.0.0.1:\(ports[0]) is a replica now: READONLY You can't write against a read only replica"
            )
        ) { try engine.append(batch) }
    }

    @Test func `a server that Sentinels name, although it already copies another one, is lost`() throws {
        let ports = try (0..<2).map { _ in try LocalPort.free() }
        let (named, other) = (try server(ports[0]), try server(ports[1]))
        let sentinel = try RedisSentinel(of: "shop", at: ports[0])
        try named.call("REPLICAOF", "127.0.0.1", "\(ports[1])")
        #expect(
            throws: ClusterFailure.lost(
                "redis://127.0.0.1:\(ports[0]) is a replica, although Sentinels name it")
        ) { _ = try cluster([sentinel.port]).connect() }
        try named.takeWhatIsThere()
        try other.takeWhatIsThere()
    }

    @Test(arguments: [0, 65_536]) func `a Sentinel that names a port which cannot be knows no server`(
        number: Int
    ) throws {
        let folder = try TemporaryFolder()
        let port = try LocalPort.free()
        let sentinel = try RedisSentinel(of: "shop", at: port, lines: "unixsocket \(folder("sentinel.sock"))")
        let proxy = try ConnectionProxy(at: nil, to: folder("sentinel.sock"))
        @Sendable func bulk(_ number: Int) -> String { "$\("\(number)".utf8.count)\r\n\(number)\r\n" }
        proxy.rewrite {
            Array(String(decoding: $0, as: UTF8.self).replacing(bulk(port), with: bulk(number)).utf8)
        }
        let named = try #require(proxy.port)
        #expect(throws: ClusterFailure.lost("the Sentinel at 127.0.0.1:\(named) knows no shop")) {
            _ = try cluster([named]).connect()
        }
        try sentinel.takeWhatIsThere()
    }

    @Test func `the Sentinel that knows of the last failover is believed, whichever is asked first`() throws {
        let ports = try (0..<2).map { _ in try LocalPort.free() }
        let (old, new) = (try server(ports[0]), try server(ports[1]))
        let late = try RedisSentinel(of: "shop", at: ports[0], epoch: 4)
        let current = try RedisSentinel(of: "shop", at: ports[1], epoch: 5)
        for order in [[late.port, current.port], [current.port, late.port]] {
            let cluster = cluster(order, replicas: 0)
            _ = try cluster.connect()
            #expect(cluster.server?.address == "redis://127.0.0.1:\(ports[1])")
        }
        for server in [old, new] { try server.takeWhatIsThere() }
    }

    @Test
    func `what a server confirms that was paused, while a replica is promoted in its place, does not count`()
        throws
    {
        let (ports, primary, replicas) = try servers(withReplicas: 2)
        let sentinel = try RedisSentinel(of: "shop", at: ports[0])
        try sentinel.wait(forReplicas: 2)
        let cluster = cluster([sentinel.port])
        let engine = try cluster.connect()
        try engine.join(ClusterPresence(name: "a", life: "1"))
        var batch = ClusterBatch()
        batch.add([1], to: 1, from: ClusterOrigin(source: "in", sequence: 1))
        primary.pause()
        // One replica has been told, and the other one still follows the old server.
        try sentinel.wait(for: "+failover-state-wait-promotion")
        primary.resume()
        #expect(
            throws: ClusterFailure.lost(
                "the Sentinel at 127.0.0.1:\(sentinel.port) is promoting a replica in place of 127.0.0.1:\(ports[0])"
            )
        ) { try engine.append(batch) }
        #expect(
            throws: ClusterFailure.lost(
                "the Sentinel at 127.0.0.1:\(sentinel.port) is promoting a replica in place of 127.0.0.1:\(ports[0])"
            )
        ) { _ = try cluster.connect() }
        for replica in replicas { try replica.takeWhatIsThere() }
    }

    @Test func `all connections to one run of a server know of its silences, and the next run has its own`()
        throws
    {
        let port = try LocalPort.free()
        let server = try server(port)
        var times = RedisSentinel.Times()
        // The server restarts without a failover.
        times.down = 600_000
        let sentinel = try RedisSentinel(of: "shop", at: port, times)
        let cluster = cluster([sentinel.port], replicas: 0, patience: .seconds(60))
        func pulse() throws -> RedisPulse {
            try #require((try cluster.connect() as? RedisEngine)?.connection.pulse)
        }
        let first = try pulse()
        #expect(try pulse() === first)
        try server.kill()
        try server.restart()
        #expect(try pulse() !== first)
        try server.takeWhatIsThere()
    }

    @Test func `Sentinels that replace a server too early are not trusted with what replicas have`() throws {
        let (ports, primary, replicas) = try servers(withReplicas: 1)
        var times = RedisSentinel.Times()
        times.down = 1_500
        let sentinel = try RedisSentinel(of: "shop", at: ports[0], times)
        let engine = try cluster([sentinel.port]).connect()
        #expect(
            throws: ClusterFailure.denied(
                "Sentinels take redis://127.0.0.1:\(ports[0]) for dead after 1.5 s, within which a member may not notice that it was silent; set their down-after-milliseconds to 2000 or more"
            )
        ) { try engine.join(ClusterPresence(name: "a", life: "1")) }
        // Without replicas to wait for, nothing is promised that could be broken.
        try cluster([sentinel.port], replicas: 0).connect().join(ClusterPresence(name: "a", life: "1"))
        for server in [primary] + replicas { try server.takeWhatIsThere() }
    }

    @Test func `a server that Sentinels name, and that wants more replicas, is waited for`() throws {
        let port = try LocalPort.free()
        let server = try RedisServer(
            "--port", "\(port)", "--bind", "127.0.0.1", "--min-replicas-to-write", "1")
        let sentinel = try RedisSentinel(of: "shop", at: port)
        #expect(
            throws: ClusterFailure.lost(
                "redis://127.0.0.1:\(port): Redis takes no writes, because too few replicas follow it: NOREPLICAS Not enough good replicas to write; start them, or lower min-replicas-to-write"
            )
        ) { _ = try cluster([sentinel.port], replicas: 0).connect() }
        try server.takeWhatIsThere()
    }
}
