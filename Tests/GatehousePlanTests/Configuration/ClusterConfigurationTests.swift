// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehousePlanTesting
import GatehouseSDK
import GatehouseValue
import Testing

@testable import GatehousePlan
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ClusterConfigurationTests {
    /// What a file says of its cluster.
    private func cluster(_ text: String) throws -> ClusterConfiguration {
        let outcome = ConfigurationParser.parse(Array(text.utf8), file: "plugins.json")
        #expect(outcome.diagnostics.all.map(\.description) == [])
        return try #require(outcome.configuration?.cluster)
    }

    @Test func `every key is read`() throws {
        let pattern = { try #require(ConfigurationExample.patterns($0).first) }
        #expect(
            try cluster(ConfigurationExample.cluster)
                == ClusterConfiguration(
                    engine: "rediss-sentinel://gatehouse@redis.example/shop", password: "redis-password",
                    tls: ClusterTLSConfiguration(
                        ca: "tls/ca.pem",
                        identity: .init(cert: "/etc/tls/host.pem", key: "/etc/tls/host.key"),
                        serverName: "redis"),
                    sentinels: .init(user: "watcher", password: "sentinel-password"), name: "shop",
                    partitions: 12, replicas: 1,
                    keys: [
                        .init(types: try pattern("orders/*"), place: try JSONPointer("/order")),
                        .init(types: try pattern("orders/eu/*"), place: try JSONPointer("/eu/order")),
                        .init(types: try pattern("orders/eu/note"), place: .whole),
                        .init(types: try pattern("*"), place: try JSONPointer("/id")),
                    ],
                    lease: .seconds(2), deduplicate: 0, history: 3_600, mixedPlugins: .refuse,
                    splits: [
                        "eu": .init(keys: [try JSONPointer("/orders")]),
                        "us": .init(keys: [try JSONPointer("/orders"), try JSONPointer("/carts/open")]),
                        "limits": .init(keys: []),
                        "limit": .init(
                            keys: [try JSONPointer("/rules/a/keys")],
                            sums: [try JSONPointer("/rules/a/stopped/total")]),
                        "counter": .init(keys: [], sums: [try JSONPointer("/count")]),
                    ]))
    }

    @Test func `engine and name are enough, and without the key there is no cluster`() throws {
        let cluster = try cluster(#"{"cluster": {"engine": "redis://a", "name": "b"}}"#)
        #expect(cluster == ClusterConfiguration(engine: "redis://a", name: "b"))
        #expect(cluster.partitions == 64)
        #expect(cluster.replicas == 0)
        #expect(cluster.lease == .seconds(5))
        #expect(cluster.deduplicate == 600)
        #expect(cluster.history == 0)
        #expect(ConfigurationParser.parse(Array("{}".utf8), file: "f").configuration?.cluster == nil)
    }

    @Test(arguments: [#"{"name": "b"}"#, #"{"engine": "redis", "name": "b"}"#, #"{"engine": "redis://a"}"#])
    func `without an engine or a name there is no cluster for later checks`(text: String) throws {
        let outcome = ConfigurationParser.parse(Array(#"{"cluster": \#(text)}"#.utf8), file: "f")
        let readable = try #require(outcome.readable)
        #expect(readable.cluster == nil)
    }

    @Test func `the path of a socket starts at the folder of the file unless it starts at the root`() {
        let place = { ClusterConfiguration(engine: $0, name: "a").place(from: "/etc/shop") }
        let address = { (engine: String) -> RedisAddress? in
            guard case .redis(let access) = place(engine) else { return nil }
            return access.address
        }
        #expect(address("redis+unix://gh@/run/redis.sock") == .unix(path: "/run/redis.sock", user: "gh"))
        #expect(address("redis+unix:run/redis.sock") == .unix(path: "/etc/shop/run/redis.sock"))
        #expect(address("redis+unix:/run/redis.sock") == .unix(path: "/run/redis.sock"))
        #expect(address("redis://redis.example") == .tcp(host: "redis.example", port: 6_379))
        #expect(address("redis://[::1]:6380") == .tcp(host: "::1", port: 6_380))
        #expect(place("local:partitions.db") == .file("/etc/shop/partitions.db"))
        #expect(place("local:/var/lib/shop.db") == .file("/var/lib/shop.db"))
        #expect(place("local") == .memory)
    }

    @Test func `the paths of files start at the folder of the file unless they start at the root`() throws {
        let place = try cluster(ConfigurationExample.cluster).place(from: "/etc/shop")
        guard case .redis(let access) = place else {
            Issue.record("\(String(describing: place)) is no Redis")
            return
        }
        #expect(access.password?.path == "/etc/shop/redis-password")
        #expect(access.sentinels?.user == "watcher")
        #expect(access.sentinels?.password.path == "/etc/shop/sentinel-password")
        #expect(access.tls.authorities?.path == "/etc/shop/tls/ca.pem")
        #expect(access.tls.identity?.certificate.path == "/etc/tls/host.pem")
        #expect(access.tls.identity?.key.path == "/etc/tls/host.key")
        #expect(access.tls.serverName == "redis")
    }

    @Test(arguments: [
        ("orders/placed", "/order"), ("orders/eu/placed", "/eu/order"), ("orders/eu/note", ""),
        ("orders/eu/notes", "/eu/order"), ("orders", "/id"), ("x", "/id"),
    ])
    func `a full name wins over a pattern and a longer pattern over a shorter one`(
        type: String, place: String
    )
        throws
    {
        #expect(try cluster(ConfigurationExample.cluster).keyPlace(for: type)?.place.description == place)
    }

    @Test(arguments: [#""order": "/one", "order*": "/two""#, #""order*": "/two", "order": "/one""#])
    func `a full name wins over a pattern that begins alike, whichever comes first`(keys: String) throws {
        let cluster = try cluster(
            #"{"cluster": {"engine": "redis://a", "name": "b", "key": {\#(keys)}}}"#)
        #expect(cluster.keyPlace(for: "order")?.place.description == "/one")
    }

    @Test func `a type that no pattern is for has no place`() throws {
        let cluster = try cluster(
            #"{"cluster": {"engine": "redis://a", "name": "b", "key": {"orders/*": "/order"}}}"#)
        #expect(cluster.keyPlace(for: "order") == nil)
    }

    @Test(arguments: [
        Mistake(
            #"{"cluster": {}}"#,
            #"plugins.json:1:13: /cluster: expected the key "engine", found none; add it|"#,
            #"plugins.json:1:13: /cluster: expected the key "name", found none; add it"#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis", "name": "b"}}"#,
            #"plugins.json:1:24: /cluster/engine: expected the address of a Redis, "redis+unix:" with a path or "#,
            #""redis://" or "rediss://" with a host, or "local:" with the path of a file, or "local", found "redis"; "#,
            #"write "redis://127.0.0.1:6379" for a Redis on this machine, or "local:partitions.db" to do without one"#
        ),
        Mistake(
            #"{"cluster": {"engine": "local:", "name": "b"}}"#,
            #"plugins.json:1:24: /cluster/engine: expected the address of a Redis, "redis+unix:" with a path or "#,
            #""redis://" or "rediss://" with a host, or "local:" with the path of a file, or "local", found "local:"; "#,
            #"write "redis://127.0.0.1:6379" for a Redis on this machine, or "local:partitions.db" to do without one"#
        ),
        Mistake(
            #"{"cluster": {"engine": "local", "password": "a", "tls": {}, "name": "b"}}"#,
            #"plugins.json:1:33: /cluster/password: "password" is given, and "engine" is no server but the host itself; "#,
            #"remove it|"#,
            #"plugins.json:1:50: /cluster/tls: "tls" is given, and "engine" is no server but the host itself; remove it"#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "sentinels": {"password": "a"}, "name": "b"}}"#,
            #"plugins.json:1:37: /cluster/sentinels: "sentinels" is given, and "engine" names none; begin that with "#,
            #""redis-sentinel://""#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis-sentinel://a/b", "sentinels": {"user": "u"}, "name": "b"}}"#,
            #"plugins.json:1:61: /cluster/sentinels: expected the key "password", found none; add it"#
        ),
        Mistake(
            #"{"cluster": {"engine": "rediss://u:geheim@a", "name": "b"}}"#,
            #"plugins.json:1:24: /cluster/engine: expected an address without a password; write the password into a "#,
            #"file, and name that by "password""#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://u@a", "tls": {}, "name": "b"}}"#,
            #"plugins.json:1:24: /cluster/engine: the user "u" needs a password; write it into a file, and name that "#,
            #"by "password"|"#,
            #"plugins.json:1:39: /cluster/tls: "tls" is given, and "engine" is not encrypted; begin that with "#,
            #""rediss://""#
        ),
        Mistake(
            #"{"cluster": {"engine": "rediss://a", "password": "", "tls": {"cert": "a", "ca": 1}, "name": "b"}}"#,
            #"plugins.json:1:50: /cluster/password: expected the path of a file, found ""; write one, or remove the "#,
            #"key|"#,
            #"plugins.json:1:62: /cluster/tls/cert: "cert" and "key" belong together; add "key"|"#,
            #"plugins.json:1:81: /cluster/tls/ca: expected a string, found 1; put the text in double quotes"#
        ),
        Mistake(
            #"{"cluster": {"engine": "rediss://a", "tls": {"key": "a", "serverName": "a b"}, "name": "b"}}"#,
            #"plugins.json:1:46: /cluster/tls/key: "cert" and "key" belong together; add "cert"|"#,
            #"plugins.json:1:72: /cluster/tls/serverName: expected the name of a host, found "a b"; write one that "#,
            #"the certificate of the engine has"#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "My Shop"}}"#,
            #"plugins.json:1:45: /cluster/name: expected at most 64 small letters, digits, ".", "_" and "-", "#,
            #"found "My Shop"; write "my-shop""#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "b", "partitions": 5000, "lease": 90}}"#,
            "plugins.json:1:64: /cluster/partitions: expected a whole number from 1 to 4096, found 5000; ",
            "write one in that range|",
            "plugins.json:1:79: /cluster/lease: expected a whole number from 1 to 60, found 90; ",
            "write one in that range"
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "b", "key": {"orders*x": "", "": "", "a": "b"}}}"#,
            #"plugins.json:1:58: /cluster/key/orders*x: expected a name with "*" nowhere but at its end, found "#,
            #""orders*x"; list several names instead|"#,
            #"plugins.json:1:74: /cluster/key/: expected a name, found ""; write the name or remove the place for it|"#,
            #"plugins.json:1:87: /cluster/key/a: expected a JSON Pointer such as "/orders/eu", found "b"; begin it "#,
            #"with "/""#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "b", "key": {"host/*": ""}}}"#,
            #"plugins.json:1:58: /cluster/key/host~1*: types below "host/" stay in their host and have no key, found "#,
            #""host/*"; remove it"#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "b", "mixedPlugins": "refuze"}}"#,
            #"plugins.json:1:66: /cluster/mixedPlugins: expected "allow" or "refuse", found "refuze"; did you mean "#,
            #""refuse"?"#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "b", "split": {"a": "b", "c": ["/d/e", "/d"], "f": 1}}}"#,
            #"plugins.json:1:65: /cluster/split/a: expected a JSON Pointer such as "/orders/eu", found "b"; begin it "#,
            #"with "/"|"#,
            #"plugins.json:1:84: /cluster/split/c/1: expected a place outside of "/d/e", found "/d"; name one of them|"#,
            #"plugins.json:1:96: /cluster/split/f: expected a string, found 1; put the text in double quotes"#
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "b", "split": {"a": {"keys": "/d", "sum": "/e"}, "#
                + #""c": {"keys": "/d", "sums": ["/e", "/d/f"]}}}}"#,
            #"plugins.json:1:80: /cluster/split/a/sum: unknown key "sum"; did you mean "sums"?|"#,
            #"plugins.json:1:129: /cluster/split/c/sums/1: expected a place outside of "/d", found "/d/f"; "#,
            "name one of them"
        ),
        Mistake(
            #"{"journal": {}, "stateFile": "s", "cluster": {"engine": "redis://a", "name": "b"}}"#,
            #"plugins.json:1:2: /journal: "journal" and "cluster" both keep what was accepted; remove one of them, "#,
            "in a cluster its engine does|",
            #"plugins.json:1:17: /stateFile: "stateFile" and "journal" both keep the state; remove one of them, "#,
            #"and with "journal" the state is recovered from there|"#,
            #"plugins.json:1:17: /stateFile: "stateFile" and "cluster" both keep the state; remove one of them, "#,
            "in a cluster its engine does"
        ),
    ])
    func `a mistake is told with its place`(mistake: Mistake) {
        #expect(ConfigurationMessages.of(mistake.text).joined(separator: "|") == mistake.message)
    }
}
