// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseValue
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ConfigurationParserTests {
    @Test func `the example of the design means what the design says`() throws {
        let text = """
            {
              "$schema": "./Schemas/plugins.schema.json",
              "directory": ".build/plugins",
              "discovery": "activate",
              "state": { "features": { "crashReports": true } },
              "plugins": [
                { "id": "logger", "settings": { "level": "info" } },
                { "id": "crash-reports", "gate": { "state": "/features/crashReports" } },
                { "id": "sync",
                  "gate": { "control": { "type": "app/sync", "at": "/enable" }, "turnOn": true,
                            "turnOff": false, "default": "bypass" } },
                { "id": "orders-eu", "library": "libCounterPlugin.so",
                  "sha256": "\(ConfigurationExample.digest)",
                  "lift": { "input": "orders/eu/", "output": "orders/eu/", "state": "/orders/eu",
                            "dependencies": ["clock"] },
                  "allow": ["orders/eu/*"] }
              ]
            }
            """
        let expected = HostConfiguration(
            directory: ".build/plugins",
            state: ["features": ["crashReports": true]],
            instances: [
                InstanceConfiguration(id: "logger", settings: ["level": "info"]),
                InstanceConfiguration(
                    id: "crash-reports", gate: .state(try JSONPointer("/features/crashReports"))),
                InstanceConfiguration(
                    id: "sync",
                    gate: .action(
                        control: "app/sync", at: try JSONPointer("/enable"), turnOn: true, turnOff: false,
                        default: .bypass)),
                InstanceConfiguration(
                    id: "orders-eu", library: "libCounterPlugin.so",
                    sha256: .library(ConfigurationExample.digest),
                    lift: LiftConfiguration(
                        input: .prefix("orders/eu/"), output: .prefix("orders/eu/"),
                        state: try JSONPointer("/orders/eu"), dependencies: ["clock"]),
                    allow: try ConfigurationExample.patterns("orders/eu/*")),
            ])
        let outcome = parse(text)
        #expect(outcome == ConfigurationOutcome(readable: expected, diagnostics: Diagnostics()))
    }

    @Test func `every key has its meaning`() throws {
        let expected = try ConfigurationExample.configuration()
        let outcome = parse(ConfigurationExample.text)
        #expect(outcome == ConfigurationOutcome(readable: expected, diagnostics: Diagnostics()))
    }

    @Test func `an empty object has the documented defaults`() {
        let expected = HostConfiguration(
            directory: "plugins", discovery: .activate, images: .cache, state: [:],
            ingress: IngressConfiguration(
                allow: nil, deny: [], wrap: nil, maximumLineBytes: 16 * 1_024 * 1_024),
            limits: LimitsConfiguration(chain: 1_000, actions: 10_000, waiting: 100_000), instances: [])
        let outcome = parse("{}")
        #expect(outcome == ConfigurationOutcome(readable: expected, diagnostics: Diagnostics()))
    }

    @Test func `an entry with an id alone has the documented defaults`() throws {
        let expected = InstanceConfiguration(
            id: "a", library: nil, sha256: nil, isOptional: false, settings: [:],
            lift: LiftConfiguration(input: nil, output: nil, state: nil, dependencies: nil), gate: .active,
            onClose: .cancel, allow: nil)
        #expect(try entry(#"{"id": "a"}"#) == expected)
    }

    @Test func `any value of the schema key is ignored`() {
        let outcome = parse(#"{"$schema": {"any": 1}}"#)
        #expect(outcome == ConfigurationOutcome(readable: HostConfiguration(), diagnostics: Diagnostics()))
    }

    @Test(arguments: [
        (#""active""#, GateConfiguration.active, GateConfiguration.OnClose.cancel),
        (#""bypass""#, .bypass, .cancel),
        (#"{}"#, .active, .cancel),
        (#"{"default": "bypass", "onClose": "keep"}"#, .bypass, .keep),
        (
            #"{"control": {"type": "a"}}"#,
            .action(control: "a", at: .whole, turnOn: true, turnOff: false, default: .active), .cancel
        ),
        (
            #"{"control": {"type": "a"}, "turnOn": {"x": [1]}, "turnOff": null}"#,
            .action(control: "a", at: .whole, turnOn: ["x": [1]], turnOff: nil, default: .active), .cancel
        ),
        (#"{"state": "/a~1b", "onClose": "cancel"}"#, .state(JSONPointer(tokens: ["a/b"])), .cancel),
    ])
    func `a gate has a short form and defaults`(
        text: String, gate: GateConfiguration, onClose: GateConfiguration.OnClose
    ) throws {
        let entry = try entry(#"{"id": "a", "gate": \#(text)}"#)
        #expect(entry == InstanceConfiguration(id: "a", gate: gate, onClose: onClose))
    }

    @Test func `a lift maps names in both directions`() throws {
        let entry = try entry(
            #"{"id": "a", "lift": {"input": {"x/*": "*", "x/y": "z"}, "output": {"host/z": "q"}}}"#)
        let lift = LiftConfiguration(
            input: .map(try ConfigurationExample.nameMap(["x/*": "*", "x/y": "z"])),
            output: .map(try ConfigurationExample.nameMap(["host/z": "q"])))
        #expect(entry == InstanceConfiguration(id: "a", lift: lift))
    }

    @Test func `an empty prefix stands for global names`() throws {
        let entry = try entry(#"{"id": "a", "lift": {"input": ""}}"#)
        #expect(entry.lift == LiftConfiguration(input: .prefix("")))
    }

    @Test func `a digest may be written in upper case`() throws {
        let entry = try entry(#"{"id": "a", "sha256": "\#(ConfigurationExample.digest.uppercased())"}"#)
        #expect(entry.sha256 == .library(ConfigurationExample.digest))
    }

    @Test func `the bounds of a range belong to it`() {
        let text = """
            {"limits": {"chain": 1000000, "actions": 100000000, "waiting": 1}, "ingress": {"maximumLineBytes": 1073741824}}
            """
        let expected = HostConfiguration(
            ingress: IngressConfiguration(maximumLineBytes: 1 << 30),
            limits: LimitsConfiguration(chain: 1_000_000, actions: 100_000_000, waiting: 1))
        let outcome = parse(text)
        #expect(outcome == ConfigurationOutcome(readable: expected, diagnostics: Diagnostics()))
    }

    @Test func `a warning leaves the configuration usable`() throws {
        let outcome = parse(#"{"plugins": [{"id": "a", "allow": ["*", "host*"]}]}"#)
        let expected = InstanceConfiguration(id: "a", allow: try ConfigurationExample.patterns("*", "host*"))
        #expect(outcome.configuration == HostConfiguration(instances: [expected]))
        #expect(
            outcome.diagnostics.all.map(\.description) == [
                "plugins.json:1:41: warning: /plugins/0/allow/1: \"host*\" does not cover the types below "
                    + "\"host/\"; add \"host/*\" if they are meant"
            ])
    }

    @Test func `four thousand instances with slices of their own are read`() {
        let entries = (0..<4_000).map { #"{"id": "i\#($0)", "lift": {"state": "/s/\#($0)"}}"# }
        let outcome = parse(#"{"plugins": [\#(entries.joined(separator: ","))]}"#)
        #expect(outcome.configuration?.instances.count == 4_000)
    }

    /// What a text means, under the usual file name.
    private func parse(_ text: String) -> ConfigurationOutcome {
        ConfigurationParser.parse(Array(text.utf8), file: "plugins.json")
    }

    /// The only entry of a file, which must be free of problems.
    private func entry(_ text: String) throws -> InstanceConfiguration {
        let outcome = parse(#"{"plugins": [\#(text)]}"#)
        #expect(outcome.diagnostics.all.map(\.description) == [])
        return try #require(outcome.configuration?.instances.first)
    }
}
