// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// What a test of a plugin is told; the failures are compared from the text after the line.
@Suite(.timeLimit(.minutes(5)))
struct TestStorePluginTests {
    /// The text of the failure that a closure throws, without its place.
    private func failure(_ body: () async throws -> Void) async throws -> String {
        do {
            try await body()
        } catch let failure as TestFailure {
            #expect(failure.description.hasPrefix("GatehouseTestingTests/TestStorePluginTests.swift:"))
            return failure.text
        }
        return "none"
    }

    @Test func `an alarm rings when its time has come, and not before`() async throws {
        let store = try TestStore(Alarms.self)
        try store.send(.set(name: "tea", after: 5)) { $0.set = ["tea"] }
        store.advance(by: .seconds(4))
        #expect(store.runningEffects == 1)
        store.advance(by: .seconds(1))
        try await store.receive(.ring(name: "tea")) { $0.set = [] }
        #expect(store.log == ["info: 1 set"])
        #expect(store.stateChanges == 2)
        try await store.finish()
    }

    @Test func `the interceptor is there although the store knows the plugin as any plugin`() async throws {
        func run<P: Plugin>(_ plugin: P.Type, _ body: (TestStore<P.Action, P.State>) async throws -> Void)
            async throws
        {
            try await body(TestStore(plugin, settings: ["most": 0]))
        }
        try await run(Alarms.self) { store in
            try store.send(.set(name: "tea", after: 5))
            try await store.receive(.refused(name: "tea"))
            try await store.finish()
        }
    }

    @Test func `settings that do not fit are thrown with their place`() {
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(Alarms.self, settings: ["most": "two"])
        }
        #expect(failure?.description == "/most: expected an integer, found a string")
    }

    @Test func `another state is shown place by place`() async throws {
        let store = try TestStore(Alarms.self)
        let text = try await failure {
            try store.send(.set(name: "tea", after: 5)) { $0.set = ["coffee", "cake"] }
        }
        #expect(
            text == """
                expected another state after {"type":"set","payload":{"name":"tea","after":5.0}}:
                    /set/0: expected "coffee", found "tea"
                    /set/1: expected "cake", found nothing
                """)
    }

    @Test func `another action, and none, are told apart`() async throws {
        let store = try TestStore(Alarms.self, settings: ["most": 0])
        try store.send(.set(name: "tea", after: 5))
        #expect(
            try await failure { try await store.receive(.hello) }
                == #"expected {"type":"hello"}, found {"type":"refused","payload":{"name":"tea"},"error":true}"#
        )
        #expect(
            try await failure { try await store.receive(.hello) }
                == #"expected {"type":"hello"}, found that no effect is running"#)
    }

    @Test func `whoever waits for an effect that sleeps is told to move the clock`() async throws {
        let store = try TestStore(Alarms.self)
        try store.send(.set(name: "tea", after: 5)) { $0.set = ["tea"] }
        let rest = "1 effect is running, asleep until the clock has moved by 5.0 seconds; call advance(by:)"
        #expect(
            try await failure { try await store.receive(.ring(name: "tea")) }
                == #"expected {"type":"ring","payload":{"name":"tea"}}, found that "# + rest)
        #expect(
            try await failure { try await store.finish() }
                == "expected all effects to have ended, found that \(rest)")
    }

    @Test func `what was emitted must be received before the next action and at the end`() async throws {
        let store = try TestStore(Alarms.self, settings: ["most": 0])
        try store.send(.set(name: "tea", after: 5))
        let emitted =
            #"expected nothing more, found {"type":"refused","payload":{"name":"tea"},"error":true}"#
        #expect(
            try await failure { try store.send(.hello) }
                == emitted + #"; receive that before sending {"type":"hello"}"#)
        #expect(try await failure { try await store.finish() } == emitted + " at the end")
    }

    @Test func `what the plugin does not read or write is a failure unless it is taken`() async throws {
        let store = try TestStore(Alarms.self)
        try store.send(wire: ["type": "set", "payload": ["name": 5]])
        #expect(
            try await failure { try await store.finish() }
                == "set: /name: expected a string, found an integer at the end")
        let other = try TestStore(Alarms.self)
        try other.send(wire: ["type": "cancel"])
        #expect(other.takeProblems() == ["cancel: the whole value: expected a string, found an object"])
        try await other.finish()
    }

    @Test func `actions may be sent and received in wire form`() async throws {
        let store = try TestStore(Alarms.self, settings: ["most": 0])
        try store.send(wire: ["type": "set", "payload": ["name": "tea", "after": 1, "more": true]])
        try await store.receive(wire: ["type": "refused", "payload": ["name": "tea"], "error": true])
        try await store.finish()
    }

    @Test func `wire forms are those that passed, and not what the type makes of them`() async throws {
        let store = try TestStore(Whisper.self)
        try store.send(.say(.init(text: "tea")))
        try await store.receive(wire: ["type": "said", "payload": "TEA"])
        try await store.finish()
        #expect(
            store.transcript == """
                {"sent":{"type":"say","payload":"TEA"}}
                {"emitted":{"type":"said","payload":"TEA"}}

                """)
        let other = try TestStore(Whisper.self)
        try other.send(.say(.init(text: "tea")))
        #expect(
            try await failure { try await other.receive(wire: ["type": "said", "payload": "tea"]) }
                == #"expected {"type":"said","payload":"tea"}, found {"type":"said","payload":"TEA"}"#)
        try other.send(.say(.init(text: "tea")))
        #expect(try other.takeWire() == [["type": "said", "payload": "TEA"]])
    }

    @Test func `of several that were emitted, the next one is the one that is told`() async throws {
        let store = try TestStore(Alarms.self)
        try store.send(.set(name: "tea", after: 1)) { $0.set = ["tea"] }
        try store.send(.set(name: "cake", after: 2)) { $0.set = ["tea", "cake"] }
        store.advance(by: .seconds(2))
        #expect(
            try await failure { try await store.receive(.ring(name: "cake")) }
                == #"expected {"type":"ring","payload":{"name":"cake"}}, found {"type":"ring","payload":{"name":"tea"}}"#
        )
    }

    @Test func `an instance goes on from the state that a host has kept`() async throws {
        let store = try TestStore(Alarms.self, restoring: ["set": ["tea", "cake"]])
        #expect(store.stateChanges == 0)
        try store.send(.cancel("tea")) { $0.set = ["cake"] }
        #expect(store.stateChanges == 1)
        try await store.finish()
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(Alarms.self, restoring: ["set": "tea"])
        }
        #expect(failure?.description == "/set: expected an array, found a string")
    }

    @Test func `an older state is migrated, one of a later version is refused`() throws {
        #expect(try TestStore(Whisper.self, restoring: ["said": 3]).state.said == 3)
        #expect(try TestStore(Whisper.self, restoring: ["said": 3], ofVersion: 2).state.said == 3)
        #expect(try TestStore(Whisper.self, restoring: ["count": 3], ofVersion: 1).state.said == 3)
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(Whisper.self, restoring: [:], ofVersion: 3)
        }
        #expect(
            failure?.description == "the whole value: expected state of version at most 2, found version 3")
    }

    @Test func `effects in the background may go on at the end`() async throws {
        let store = try TestStore(Alarms.self)
        try store.send(.tick)
        store.advance(by: .seconds(3))
        for _ in 0..<3 { try await store.receive(.hello) }
        try await store.finish()
    }

    @Test func `without exhaustiveness only what is said is looked at`() async throws {
        let store = try TestStore(Alarms.self, settings: ["most": 1])
        store.isExhaustive = false
        try store.send(.set(name: "tea", after: 1))
        try store.send(.set(name: "cake", after: 2))
        try store.send(.tick)
        store.advance(by: .seconds(1))
        try await store.receive(.ring(name: "tea"))
        #expect(store.state.set == [])
        try await store.finish()
    }

    @Test func `a transcript is compared with a golden file`() async throws {
        let store = try TestStore(Alarms.self, settings: ["most": 1])
        try store.send(.set(name: "tea", after: 1)) { $0.set = ["tea"] }
        try store.send(.set(name: "cake", after: 1))
        try await store.receive(.refused(name: "cake"))
        store.advance(by: .seconds(1))
        try await store.receive(.ring(name: "tea")) { $0.set = [] }
        try await store.finish()
        try store.matchTranscript("alarms")
        let text = try await failure { try store.matchTranscript("other") }
        #expect(
            text.hasSuffix(
                #"/Golden/other.ndjson:2: expected the end, found {"sent":{"type":"set","payload":{"name":"cake","after":1.0}}}; "#
                    + "run the test with GATEHOUSE_RECORD=1 to write what was found"))
        let missing = try await failure { try store.matchTranscript("missing") }
        #expect(
            missing.hasSuffix(
                "/Golden/missing.ndjson, found none; run the test with GATEHOUSE_RECORD=1 to write it"))
    }

    @Test func `the manifest is compared with the types`() async throws {
        try Alarms.checkManifest(at: "Tests/GatehouseTestingTests/Golden/alarms.json")
        #expect(
            try await failure {
                try Alarms.checkManifest(at: "Tests/GatehouseTestingTests/Golden/wrong.json")
            } == """
                Tests/GatehouseTestingTests/Golden/wrong.json:
                    /principal: expected "Alarms", found "Alarm"
                    "stop" is no case of the plugin's Action; correct "consumes" and "emits"
                    the plugin has an interceptor; add "intercept" to "permissions"
                    "settings" describes "least", which Settings does not have
                    Settings has "greeting", which "settings" does not describe
                    /settings/properties/most/default: expected 2, as Settings() has it, found 3
                """)
        #expect(
            try await failure { try Alarms.checkManifest(at: "nowhere/plugin.json") }
                == "expected the manifest at nowhere/plugin.json below the package, found none")
    }
}
