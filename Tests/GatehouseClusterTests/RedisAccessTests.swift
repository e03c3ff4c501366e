// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// Who is let in at a Redis, the real one, and what is said to the others.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct RedisAccessTests {
    /// The access to a server for a user, with a password that stands in its folder.
    private func access(_ server: RedisServer, user: String? = nil, password: String? = "secret") throws
        -> RedisAccess
    {
        guard let password else { return RedisAccess(.unix(path: server.socket, user: user)) }
        let path = try server.folder.write(password + "\n", to: "password")
        try FileSystem.setMode(0o600, of: path)
        return RedisAccess(
            .unix(path: server.socket, user: user), password: AccessFile("password", from: server.folder.path)
        )
    }

    /// Why nobody is let in.
    private func denial(_ access: RedisAccess) -> String {
        do {
            _ = try RedisCluster(access, name: "shop", partitions: 4).connect()
            return "nothing was said"
        } catch ClusterFailure.denied(let reason) {
            return reason
        } catch {
            return "\(type(of: error)): \(error)"
        }
    }

    /// Makes a user with some rights.
    private func add(_ user: String, _ rights: String..., to server: RedisServer) throws {
        for right in ["reset", "on", ">secret"] + rights { try server.call("ACL", "SETUSER", user, right) }
    }

    // MARK: - Passwords

    @Test func `a server that asks for a password gets the one in the file`() throws {
        let server = try RedisServer("--requirepass", "secret")
        let cluster = RedisCluster(try access(server), name: "shop", partitions: 4)
        try cluster.connect().join(ClusterPresence(name: "a", life: "1"))
    }

    @Test func `without a password a server that asks for one says where it belongs`() throws {
        let server = try RedisServer("--requirepass", "secret")
        #expect(
            denial(try access(server, password: nil))
                == "Redis asks for a password: NOAUTH Authentication required; write it into a file, and name that by \"password\" in \"cluster\""
        )
    }

    @Test func `a wrong password is told with its file and its user, and without itself`() throws {
        let server = try RedisServer("--requirepass", "secret")
        let words = "WRONGPASS invalid username-password pair or user is disabled"
        #expect(
            denial(try access(server, password: "geheim"))
                == "Redis does not accept the password in \(server.folder("password")) for the default user: \(words); write the right one there"
        )
        #expect(
            denial(try access(server, user: "gh", password: "geheim"))
                == "Redis does not accept the password in \(server.folder("password")) for the user gh: \(words); write the right one there"
        )
    }

    @Test func `a password for a server that has none is told`() throws {
        let server = try RedisServer()
        #expect(
            denial(try access(server))
                == "Redis has no password for the default user, and one is in \(server.folder("password")); give it that one by requirepass, or remove \"password\" from \"cluster\""
        )
    }

    @Test func `a password is read anew for each connection`() throws {
        let server = try RedisServer("--requirepass", "secret")
        let cluster = RedisCluster(try access(server), name: "shop", partitions: 4, pause: .zero)
        _ = try cluster.connect()
        server.password = "secret"
        try server.call("CONFIG", "SET", "requirepass", "next")
        #expect(throws: ClusterFailure.self) { try cluster.connect() }
        try server.folder.write("next\n", to: "password")
        _ = try cluster.connect()
    }

    @Test func `whoever is not let in does not come to the server again at once`() throws {
        let server = try RedisServer("--requirepass", "secret")
        let cluster = RedisCluster(
            try access(server, password: "geheim"), name: "shop", partitions: 4, pause: .seconds(3_600))
        for _ in 1...3 { #expect(throws: ClusterFailure.self) { try cluster.connect() } }
        server.password = "secret"
        let log = try server.call("ACL", "LOG").split(separator: "\n").map(String.init)
        #expect(log.firstIndex(of: "count").map { log[$0 + 1] } == "1")
    }

    @Test func `whoever was not let in comes to the server again a second later`() throws {
        let server = try RedisServer("--requirepass", "secret")
        let cluster = RedisCluster(try access(server, password: "geheim"), name: "shop", partitions: 4)
        let first = ContinuousClock.now
        for time in [Duration.zero, .milliseconds(999), .seconds(1), .milliseconds(1_999)] {
            #expect(throws: ClusterFailure.self) { try cluster.connect(at: first + time) }
        }
        server.password = "secret"
        let log = try server.call("ACL", "LOG").split(separator: "\n").map(String.init)
        #expect(log.firstIndex(of: "count").map { log[$0 + 1] } == "2")
    }

    @Test(arguments: [
        (
            "NOPERM User gh has no permissions to run the 'info' command",
            "Redis does not let the user gh do what a member must: NOPERM User gh has no permissions to run the 'info' command; give it the rights that Documentation/Scaling.md lists"
        ),
        (
            "ERR ACL failure in script: User gh has no permissions to run the 'xadd' command script: 5e, on @user_script:5.",
            "Redis does not let the user gh do what a member must: ERR ACL failure in script: User gh has no permissions to run the 'xadd' command; give it the rights that Documentation/Scaling.md lists"
        ),
        (
            "MOVED 3999 10.0.0.6:6379",
            "Redis is one node of several and does not have this cluster: MOVED 3999 10.0.0.6:6379; name the node that has the keys {gatehouse:…} by \"engine\""
        ),
        (
            "NOREPLICAS Not enough good replicas to write.",
            "Redis takes no writes, because too few replicas follow it: NOREPLICAS Not enough good replicas to write; start them, or lower min-replicas-to-write"
        ),
        (
            "MISCONF Errors writing to the AOF file: No space left on device",
            "Redis takes no writes, because it cannot save them: MISCONF Errors writing to the AOF file: No space left on device; look at its log, and make room on its disk"
        ),
        (
            "DENIED Redis is running in protected mode because protected mode is enabled and no password is set. In this mode …",
            "Redis lets nobody in from another machine: DENIED Redis is running in protected mode because protected mode is enabled and no password is set; give it a password or users"
        ),
    ])
    func `what other versions say, and what is said to other machines, is told`(
        answer: String, reason: String
    ) {
        let access = RedisAccess(.unix(path: "/run/redis.sock", user: "gh"))
        #expect(access.refusal(answer) == .denied(reason))
    }

    @Test(arguments: [
        "ERR unknown command", "OOM command not allowed", "SHAPE 4", "LOADING Redis is loading",
    ])
    func `what is refused for another reason is none of it`(answer: String) {
        #expect(RedisAccess.unix(path: "/run/redis.sock").refusal(answer) == nil)
    }

    // MARK: - Files

    @Test func `a file that cannot be read, or that others can, is told`() throws {
        let server = try RedisServer("--requirepass", "secret")
        let access = try access(server)
        let path = server.folder("password")
        try FileSystem.setMode(0o644, of: path)
        #expect(
            denial(access) == "\(path): others may read or write it; take that from them with chmod 600")
        FileSystem.remove(path)
        #expect(
            denial(access)
                == "\(path): it cannot be read: No such file or directory; write it there, and let this user read it, or let a service manager give it in $CREDENTIALS_DIRECTORY"
        )
        _ = try server.folder.makeFolder("password")
        #expect(denial(access) == "\(path): expected a file, found something else; name a file")
    }

    @Test(arguments: [
        ("", "expected a secret, found an empty or blank file; write one there"),
        ("\n", "expected a secret, found an empty or blank file; write one there"),
        ("user\nsecret", "expected a password in one line, found several lines; write it there"),
        (
            String(repeating: "x", count: 5_000),
            "expected a secret of at most 4096 bytes, found a longer one; shorten it"
        ),
    ])
    func `a file without a password in one line is told`(text: String, words: String) throws {
        let server = try RedisServer()
        #expect(
            denial(try access(server, password: text)) == "\(server.folder("password")): \(words)")
    }

    // MARK: - Rights

    @Test func `a user that lacks rights is told all of them at once, before anything is done`() throws {
        let server = try RedisServer()
        try add("gh", "~{gatehouse:shop}:*", "+@all", "-xadd", "-client|unblock", to: server)
        #expect(
            denial(try access(server, user: "gh"))
                == "Redis does not let the user gh do what a member must; let its administrator run: ACL SETUSER gh ~{gatehouse:shop}:* +client|unblock +xadd"
        )
        #expect(try server.call("DBSIZE") == "0")
    }

    /// Expects that the user is told what the server says, whose words are not the same in all versions.
    private func expectWords(of server: RedisServer, _ part: String) throws {
        let told = denial(try access(server, user: "gh"))
        let (start, end) = (
            "Redis does not let the user gh do what a member must: NOPERM ",
            "; give it the rights that Documentation/Scaling.md lists"
        )
        #expect(told.hasPrefix(start) && told.hasSuffix(end), "\(told)")
        #expect(told.dropFirst(start.count).dropLast(end.count).contains(part), "\(told)")
    }

    @Test func `a user of other keys lacks all that has keys`() throws {
        let server = try RedisServer()
        try add("gh", "~{gatehouse:other}:*", "+@all", to: server)
        try expectWords(of: server, "key")
    }

    @Test func `a user without scripts is told what the server says`() throws {
        let server = try RedisServer()
        try add("gh", "~*", "+@all", "-script|load", to: server)
        try expectWords(of: server, "'script|load' command")
    }

    @Test func `rights that are taken away later are told, and may come again`() throws {
        let server = try RedisServer()
        try add("gh", "~{gatehouse:shop}:*", "+@all", to: server)
        let cluster = RedisCluster(try access(server, user: "gh"), name: "shop", partitions: 4)
        let engine = try cluster.connect()
        try engine.join(ClusterPresence(name: "a", life: "1"))
        for (command, question) in [
            ("xread", { try engine.read([(0, .start)], atMost: 1, waiting: .zero) { _, _ in } }),
            ("sadd", { try engine.drain("a", true) }),
        ] as [(String, () throws -> Void)] {
            try server.call("ACL", "SETUSER", "gh", "-" + command)
            let failure = #expect(throws: ClusterFailure.self) { try question() }
            let reason = try #require(failure).description
            #expect(failure == .denied(reason))
            #expect(reason.hasPrefix("Redis does not let the user gh do what a member must: "), "\(reason)")
            #expect(reason.hasSuffix("; give it the rights that Documentation/Scaling.md lists"), "\(reason)")
        }
    }
}
