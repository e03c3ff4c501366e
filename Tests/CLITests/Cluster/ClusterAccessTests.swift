// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseHostTesting
import Testing

/// Members, and commands, of a cluster whose Redis asks who they are.
@Suite(
    .enabled(
        if: ClusterCase.canRun && CertificateAuthority.isInstalled,
        "redis-server and openssl are not installed"), .timeLimit(.minutes(10)))
struct ClusterAccessTests {
    /// A server with a user `gh`, who has the rights that the document lists, and the password `secret`.
    private func addUser(to server: RedisServer) throws {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let text = String(decoding: try FileSystem.read("/\(root)/Documentation/Scaling.md"), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("ACL SETUSER gatehouse ") })
        let words = line.split(separator: " ").dropFirst(3).map {
            String($0).replacing("{gatehouse:shop}", with: "{gatehouse:\(ClusterScene.name)}")
        }
        for word in words { try server.call("ACL", "SETUSER", "gh", word == "#SHA256" ? ">secret" : word) }
    }

    /// Writes the password that a server is told, or another one; gives the path.
    @discardableResult
    private func write(_ password: String, beside server: RedisServer) throws -> String {
        let path = server.folder("password")
        try FileSystem.write(Array("\(password)\n".utf8), to: path + ".new", mode: 0o600)
        try FileSystem.rename(path + ".new", to: path)
        return path
    }

    /// Puts an address and what comes with it into the text of a configuration.
    private func change(_ server: RedisServer, to engine: String, _ more: String = "") -> (String) -> String {
        { text in
            text.replacing(
                #""engine": "\#(server.url)""#,
                with: #""engine": "\#(engine)", "password": "\#(server.folder("password"))"\#(more)"#)
        }
    }

    /// Runs a command in a scene.
    private func call(_ scene: Scene, _ arguments: [String], environment: [String: String] = [:]) throws
        -> ChildProcess.Outcome
    {
        try ChildProcess.run(
            arguments: arguments, in: scene.folder.path,
            environment: scene.environment.merging(environment) { $1 })
    }

    /// The same with the words one by one.
    private func call(_ scene: Scene, _ arguments: String..., environment: [String: String] = [:]) throws
        -> ChildProcess.Outcome
    {
        try call(scene, arguments, environment: environment)
    }

    /// The address of a socket for the user.
    private func socket(_ server: RedisServer) -> String { "redis+unix://gh@\(server.socket)" }

    @Test func `members with a user and TLS do all that others do`() throws {
        let authority = try CertificateAuthority()
        let (redis, port) = try RedisServer.encrypted(
            try authority.identity("redis"), trusting: authority, asksForCertificates: true)
        let client = try authority.identity("client")
        try addUser(to: redis)
        try write("secret", beside: redis)
        let cluster = try ClusterCase(redis)
        let encrypted = change(
            redis, to: "rediss://gh@localhost:\(port)",
            #", "tls": { "ca": "\#(authority.certificate)", "cert": "\#(client.certificate)", "key": "\#(client.key)" }"#
        )
        let members = try ["a", "b"].map { try cluster.scene.member($0, change: encrypted) }
        for member in members { try member.startListening() }
        try cluster.scene.waitUntilSettled(members)
        try cluster.write(1_000)
        let status = try members[0].call("cluster", "status")
        #expect(
            status.output.hasPrefix("cluster torture: 2 live members, 8 partitions, "), "\(status.errors)")
        #expect(try redis.call("CLIENT", "LIST").contains(" user=gh "))
        try members[0].kill()
        try cluster.scene.waitUntilSettled([members[1]])
        try cluster.write(100)
        try cluster.expectAll()
        let resized = try members[0].call("cluster", "resize", "4", "--discard", "passbook")
        #expect(resized.exitCode == 0, "\(resized.errors)")
        #expect(try redis.call("ACL", "LOG") == "")
    }

    @Test func `a member with a wrong password does not start, and says what is wrong`() throws {
        let redis = try RedisServer()
        try addUser(to: redis)
        let path = try write("geheim", beside: redis)
        let cluster = try ClusterCase(redis)
        let member = try cluster.scene.member("a", change: change(redis, to: socket(redis)))
        try member.start()
        let outcome = try member.finish()
        #expect(
            outcome.errors
                == "gatehouse: the cluster torture at \(socket(redis)) cannot be joined: Redis does not accept the password in \(path) for the user gh: WRONGPASS invalid username-password pair or user is disabled; write the right one there\n"
        )
        #expect(outcome.exitCode == 74)
        let status = try member.call("cluster", "status")
        #expect(
            status.errors
                == "gatehouse: cluster torture at \(socket(redis)): Redis does not accept the password in \(path) for the user gh: WRONGPASS invalid username-password pair or user is disabled; write the right one there\n"
        )
        #expect(status.exitCode == 69)
    }

    @Test func `members wait for a password that was changed under them, and go on with the new one`() throws
    {
        let redis = try RedisServer()
        try addUser(to: redis)
        let path = try write("secret", beside: redis)
        let cluster = try ClusterCase(redis)
        let member = try cluster.scene.member("a", change: change(redis, to: socket(redis)))
        try member.startListening()
        try cluster.scene.waitUntilSettled([member])
        try cluster.write(100)
        for change in ["resetpass", ">next"] { try redis.call("ACL", "SETUSER", "gh", change) }
        try redis.call("CLIENT", "KILL", "USER", "gh")
        try member.waitFor("cluster: the lease ran out before it was renewed; ")
        try write("next", beside: redis)
        try member.waitFor("cluster: the engine answers again after ")
        try cluster.scene.waitUntilSettled([member])
        try cluster.write(100)
        try cluster.expectAll()
        let lines = try #require(member.ended.last).errors.split(separator: "\n").filter {
            $0.contains("WRONGPASS")
        }
        let reason =
            "Redis does not accept the password in \(path) for the user gh: WRONGPASS invalid username-password pair or user is disabled; write the right one there"
        #expect(lines == ["cluster: \(reason); trying again"])
    }

    @Test func `secrets come from the folder of the service manager first`() throws {
        let redis = try RedisServer()
        try addUser(to: redis)
        let scene = try Scene(
            #"{ "cluster": { "engine": "\#(socket(redis))", "password": "secrets/redis", "name": "torture" }, "plugins": [] }"#
        )
        let outside = try call(scene, "check")
        let place = 42 + socket(redis).utf8.count
        #expect(
            outside.errors
                == "plugins.json:1:\(place): warning: /cluster/password: secrets/redis: it cannot be read: No such file or directory; write it there, and let this user read it, or let a service manager give it in $CREDENTIALS_DIRECTORY\ngatehouse: plugins.json: OK (0 instances, 0 libraries, 1 warning)\ngatehouse: it is a member of the cluster torture: a run continues until it is asked to end\n"
        )
        _ = try scene.folder.makeFolder("credentials")
        _ = try scene.folder.makeFolder("credentials/secrets")
        let environment = ["CREDENTIALS_DIRECTORY": scene.folder("credentials")]
        let inside = try call(scene, "check", environment: environment)
        #expect(inside.exitCode == 78)
        try FileSystem.write(
            Array("secret".utf8), to: scene.folder("credentials/secrets/redis"), mode: 0o600)
        let there = try call(scene, "check", environment: environment)
        #expect(
            there.errors
                == "gatehouse: plugins.json: OK (0 instances, 0 libraries)\ngatehouse: it is a member of the cluster torture: a run continues until it is asked to end\n"
        )
        let status = try call(scene, "cluster", "status", environment: environment)
        #expect(
            status.errors
                == "gatehouse: there is no cluster torture at \(socket(redis)); it is created when the first member joins\n"
        )
    }

    @Test func `files that are not there, or are for everybody, are found by check`() throws {
        let scene = try Scene(
            #"""
            { "cluster": { "engine": "rediss://gh@redis.example", "name": "shop",
                           "password": "password",
                           "tls": { "ca": "/none/ca.pem", "cert": "cert.pem", "key": "key.pem" } } }
            """#)
        for name in ["password", "cert.pem", "key.pem"] { try scene.folder.write("x\n", to: name) }
        let outcome = try call(scene, "check")
        #expect(
            outcome.errors == """
                plugins.json:2:28: /cluster/password: password: others may read or write it; take that from them with chmod 600
                plugins.json:3:31: /cluster/tls/ca: /none/ca.pem: it cannot be read: No such file or directory; write it there, and let this user read it
                plugins.json:3:74: /cluster/tls/key: key.pem: others may read or write it; take that from them with chmod 600

                """)
        #expect(outcome.exitCode == 78)
    }

    @Test func `without a library for TLS it is said which one is missing`() throws {
        let port = try LocalPort.free()
        let redis = try RedisServer("--port", "\(port)")
        let scene = try Scene(
            #"{ "cluster": { "engine": "rediss://localhost:\#(port)", "name": "shop" } }"#)
        let path = try scene.folder.write("no library\n", to: "libssl.so.3")
        let outcome = try call(
            scene, "cluster", "status", environment: ["LD_LIBRARY_PATH": scene.folder.path])
        #expect(
            outcome.errors
                == "gatehouse: cluster shop at rediss://localhost:\(port): the library of the engine cannot be loaded: \(path): file too short; install libssl3\n"
        )
        #expect(outcome.exitCode == 69)
        _ = redis
    }

    @Test func `a password in the address is refused and not repeated`() throws {
        let scene = try Scene(
            #"{ "cluster": { "engine": "rediss://gh:geheim@redis.example", "name": "shop" } }"#)
        for arguments in [["check"], ["run"], ["cluster", "status"]] {
            let outcome = try call(scene, arguments)
            #expect(outcome.exitCode == 78)
            #expect(
                outcome.errors.hasPrefix(
                    "plugins.json:1:26: /cluster/engine: expected an address without a password; write the password into a file, and name that by \"password\"\n"
                ), "\(outcome.errors)")
            #expect(!(outcome.output + outcome.errors).contains("geheim"))
        }
    }
}
