// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import GatehouseValue
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseSupport

/// A file that uses every key but `cluster`, and what it means; and one with `cluster`.
enum ConfigurationExample {
    /// A digest as sha256sum prints it.
    static let digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

    /// A public key as minisign prints it.
    static let key = "RWRbEACPB1pr7eCT6VRV40GN+mY4Wz2sXr4NiZTYwKUavHwj3ApmPqoj"

    /// The text of a `plugins.json`.
    static let text = """
        {
          "$schema": "./Schemas/plugins.schema.json",
          "directory": ".build/plugins",
          "discovery": "list",
          "images": "memory",
          "trust": { "keys": [{ "name": "acme", "key": "\(key)", "plugins": ["logger", "acme-*"] }], "unsigned": "warn",
                     "index": "https://plugins.example/index.json" },
          "state": { "features": { "crashReports": true } },
          "ingress": {
            "allow": ["*", "host/gate/*", "host/reload"], "deny": ["orders/secret/*"],
            "wrap": { "typeAt": "/event" }, "maximumLineBytes": 1024
          },
          "journal": {
            "directory": "history", "mode": "relaxed", "keep": { "megabytes": 10, "days": 2 },
            "snapshotEvery": 5000, "deduplicate": 60
          },
          "limits": { "chain": 50, "actions": 500, "waiting": 5000 },
          "log": { "format": "json", "level": "warning" },
          "traces": { "endpoint": "https://collector.example/v1/traces", "sample": 0.5 },
          "plugins": [
            { "id": "logger", "settings": { "level": "info" } },
            { "id": "crash-reports", "gate": { "state": "/features/crashReports", "onClose": "keep" } },
            { "id": "sync",
              "gate": { "control": { "type": "app/sync", "at": "/enable" }, "turnOn": "active",
                        "turnOff": "bypass", "default": "bypass", "onClose": "cancel" } },
            { "id": "orders-eu", "library": "libCounterPlugin.so",
              "sha256": "\(digest)", "optional": true,
              "lift": { "input": "orders/eu/", "output": { "placed": "orders/eu/placed" },
                        "state": "/orders/eu", "dependencies": ["clock"] },
              "gate": "bypass",
              "grant": { "files": ["/srv/orders"], "read": ["/etc/orders.json"],
                         "network": ["connect:Orders.example:443"] },
              "allow": ["orders/eu/*", "host/gate/open"] }
          ]
        }
        """

    /// The text of a `plugins.json` of a host that shares the work.
    static let cluster = """
        {
          "name": "east",
          "cluster": {
            "engine": "rediss-sentinel://gatehouse@redis.example/shop", "password": "redis-password",
            "sentinels": { "user": "watcher", "password": "sentinel-password" },
            "tls": { "ca": "tls/ca.pem", "cert": "/etc/tls/host.pem", "key": "/etc/tls/host.key",
                     "serverName": "redis" },
            "replicas": 1, "name": "shop", "partitions": 12,
            "key": { "orders/*": "/order", "orders/eu/*": "/eu/order", "orders/eu/note": "", "*": "/id" },
            "lease": 2, "deduplicate": 0, "history": 3600, "mixedPlugins": "refuse",
            "split": { "eu": "/orders", "us": ["/orders", "/carts/open"], "limits": [],
                       "limit": { "keys": "/rules/a/keys", "sums": ["/rules/a/stopped/total"] }, "counter": { "sums": "/count" } }
          },
          "plugins": [{ "id": "counter" }]
        }
        """

    /// What the file means.
    static func configuration() throws -> HostConfiguration {
        HostConfiguration(
            directory: ".build/plugins",
            discovery: .list,
            trust: SigningPolicy(
                keys: [
                    SigningPolicy.Key(
                        name: "acme", key: try #require(MinisignKey(key)),
                        plugins: try ["logger", "acme-*"].map { try #require(TypePattern($0)) })
                ], unsigned: .warn, index: "https://plugins.example/index.json"),
            images: .memory,
            state: ["features": ["crashReports": true]],
            journal: JournalConfiguration(
                directory: "history", mode: .relaxed, keep: .init(megabytes: 10, days: 2),
                snapshotEvery: 5_000,
                deduplicate: 60),
            ingress: IngressConfiguration(
                allow: try patterns("*", "host/gate/*", "host/reload"), deny: try patterns("orders/secret/*"),
                wrap: .typeAt(try JSONPointer("/event")), maximumLineBytes: 1_024),
            limits: LimitsConfiguration(chain: 50, actions: 500, waiting: 5_000),
            log: LogConfiguration(format: .json, level: .warning),
            traces: TracesConfiguration(endpoint: "https://collector.example/v1/traces", sample: 0.5),
            instances: [
                InstanceConfiguration(id: "logger", settings: ["level": "info"]),
                InstanceConfiguration(
                    id: "crash-reports", gate: .state(try JSONPointer("/features/crashReports")),
                    onClose: .keep),
                InstanceConfiguration(
                    id: "sync",
                    gate: .action(
                        control: "app/sync", at: try JSONPointer("/enable"), turnOn: "active",
                        turnOff: "bypass", default: .bypass)),
                InstanceConfiguration(
                    id: "orders-eu", library: "libCounterPlugin.so", sha256: .library(digest),
                    isOptional: true,
                    lift: LiftConfiguration(
                        input: .prefix("orders/eu/"),
                        output: .map(try nameMap(["placed": "orders/eu/placed"])),
                        state: try JSONPointer("/orders/eu"), dependencies: ["clock"]),
                    gate: .bypass, allow: try patterns("orders/eu/*", "host/gate/open"),
                    grant: GrantConfiguration(
                        files: ["/srv/orders"], read: ["/etc/orders.json"],
                        network: [.connection(ConnectionGrant(host: "orders.example", port: 443))])),
            ])
    }

    /// Patterns from their texts, each of which must be one.
    static func patterns(_ texts: String...) throws -> [TypePattern] {
        try texts.map { try #require(TypePattern($0)) }
    }

    /// A map from its texts, each of which must be a pattern.
    static func nameMap(_ names: KeyValuePairs<String, String>) throws -> NameMap {
        NameMap(
            try names.map { from, to in
                NameMap.Entry(from: try #require(TypePattern(from)), to: try #require(TypePattern(to)))
            })
    }
}
