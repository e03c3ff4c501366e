// SPDX-License-Identifier: Apache-2.0

import SeededTesting

/// The configuration of a pipeline of eleven instances, and how an operator changes it while it runs.
///
/// Signed webhooks become orders; orders are counted, summed up by the second, archived, kept as documents, and sent to a service.
struct PipelinePlan {
    /// Where the webhooks come in.
    let socket: String
    /// Where orders are sent.
    let service: String
    /// How many requests are under way.
    private var concurrency = 64
    /// How long a request may take, in seconds.
    private var timeout = 0.2
    /// The longest body of a webhook.
    private var body = 1 << 20
    /// How large the archive may become before it is rotated.
    private var archive = 1 << 26
    /// Whether the logger takes part.
    private var logs = true
    /// Whether there is a rule that concerns nobody.
    private var hasRule = false

    /// The first configuration.
    init(socket: String, service: String) {
        self.socket = socket
        self.service = service
    }

    /// Changes what an operator may change.
    mutating func edit(_ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            concurrency =
                [8, 32, 64, 200].filter { $0 != concurrency }.randomElement(using: &generator) ?? 64
        case 1: timeout = timeout == 0.2 ? 0.3 : 0.2
        case 2: body = body == 1 << 20 ? 1 << 21 : 1 << 20
        case 3: archive = archive == 1 << 26 ? 1 << 27 : 1 << 26
        case 4: logs.toggle()
        default: hasRule.toggle()
        }
    }

    /// The text of the configuration.
    var text: String {
        """
        { "name": "shop", "discovery": "ignore",
          "journal": { "mode": "strict", "snapshotEvery": 500 },
          "supervise": { "pause": 0, "crashes": 1000, "deaths": 100 },
          "plugins": [
            { "id": "http", "lift": { "dependencies": ["ingress", "control", "clock"] }, "settings": {
                "listen": "unix:\(socket)", "maximumBody": \(body),
                "hooks": { "github": { "secretFiles": ["secret"] } } } },
            { "id": "limit", "settings": { "keys": 100000, "tell": true,
                "rules": { "once": { "when": "github/*", "by": "/number", "unique": 86400 } } } },
            { "id": "jq", "settings": { "rules": [
                { "when": "github/push", "emit": "orders/placed",
                  "payload": "{id: (.number | tostring), collection: \\"orders\\", value: {number}}" },
                { "when": "sums/summary", "emit": "tally/increment", "payload": "{by: .total.count}" }] } },
            { "id": "rules", "settings": { "rules": [
                { "when": "orders/placed", "emit": "count/increment" }\(
                    hasRule ? #", { "when": "nobody/asks", "emit": "nobody/answers" }"# : "")] } },
            { "id": "count", "library": "libCounterPlugin.so" },
            { "id": "tally", "library": "libCounterPlugin.so" },
            { "id": "sums", "library": "libAggregatePlugin.so", "settings": {
                "summaries": { "all": { "when": "orders/placed", "seconds": 1 } } } },
            { "id": "archive", "library": "libFilePlugin.so", "settings": { "maximumSize": \(archive),
                "include": ["orders/placed", "shop/failed", "docs/failed", "limit/stopped"] } },
            { "id": "docs", "library": "libPersistencePlugin.so", "lift": { "input": { "orders/placed": "save" } } },
            { "id": "shop", "library": "libHTTPClientPlugin.so", "lift": { "input": { "orders/placed": "send" } },
              "settings": { "url": "\(service)", "body": "/value", "attempts": 60, "pause": 0.01,
                "maximumPause": 0.1, "timeout": \(timeout), "concurrency": \(concurrency), "queue": 9000 } },
            { "id": "logger", "settings": { "include": ["sums/*"] }, "gate": "\(logs ? "active" : "bypass")" }] }
        """
    }

    /// The libraries of the bundled plugins that take part.
    static let libraries = [
        "HTTPPlugin", "LimitPlugin", "JQPlugin", "RulesPlugin", "CounterPlugin", "AggregatePlugin",
        "FilePlugin", "PersistencePlugin", "HTTPClientPlugin", "LoggerPlugin",
    ]
}
