// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// The plugin that the guide for plugin authors goes through.
@Suite(.timeLimit(.minutes(10)))
struct ReminderTests {
    @Test func `a reminder is due when its time is up`() async throws {
        let store = try TestStore(Reminder.self, settings: ["seconds": 5])
        try store.send(.remind(id: "tea", after: nil)) { $0.waiting = ["tea"] }
        store.advance(by: .seconds(5))
        try await store.receive(.due(id: "tea")) { $0.waiting = [] }
        try await store.finish()
        #expect(store.log == ["info: 0 still waiting"])
    }

    @Test func `actions read like this in JSON`() async throws {
        let store = try TestStore(Reminder.self)
        try store.send(wire: ["type": "remind", "payload": ["id": "tea", "after": 0.5]]) {
            $0.waiting = ["tea"]
        }
        store.advance(by: .milliseconds(500))
        try await store.receive(wire: ["type": "due", "payload": ["id": "tea"]]) { $0.waiting = [] }
        try await store.finish()
        try store.matchTranscript("reminder")
    }

    @Test(arguments: [0, -3, -1e300])
    func `a reminder whose time is over is due at once`(seconds: Double) async throws {
        let store = try TestStore(Reminder.self)
        try store.send(.remind(id: "tea", after: seconds)) { $0.waiting = ["tea"] }
        try await store.receive(.due(id: "tea")) { $0.waiting = [] }
        try await store.finish()
    }

    @Test func `nobody waits for more than a day`() async throws {
        let store = try TestStore(Reminder.self)
        try store.send(.remind(id: "tea", after: 1e300)) { $0.waiting = ["tea"] }
        store.advance(by: .seconds(86_400))
        try await store.receive(.due(id: "tea")) { $0.waiting = [] }
        try await store.finish()
    }

    @Test func `reminders wait in order until they are due or forgotten`() async throws {
        let store = try TestStore(Reminder.self)
        try store.send(.remind(id: "tea", after: 1)) { $0.waiting = ["tea"] }
        try store.send(.remind(id: "cake", after: 2)) { $0.waiting = ["tea", "cake"] }
        try store.send(.remind(id: "tea", after: 3)) { $0.waiting = ["cake", "tea"] }
        try store.send(.forget("cake")) { $0.waiting = ["tea"] }
        store.advance(by: .seconds(3))
        try await store.receive(.due(id: "tea")) { $0.waiting = [] }
        try await store.finish()
    }

    @Test func `what changes nothing is reported as unchanged`() async throws {
        let store = try TestStore(Reminder.self)
        try store.send(.forget("tea"))
        #expect(store.stateChanges == 0)
        try await store.finish()
    }

    @Test func `without a clock reminders wait until somebody says that they are due`() async throws {
        let store = try TestStore(Reminder.self, clock: nil)
        try store.send(.remind(id: "tea", after: nil)) { $0.waiting = ["tea"] }
        try store.send(.due(id: "tea")) { $0.waiting = [] }
        try await store.finish()
    }

    @Test func `what fails reads as in the guide`() async throws {
        let store = try TestStore(Reminder.self)
        let state = #expect(throws: TestFailure.self) {
            try store.send(.remind(id: "tea", after: nil)) { $0.waiting = ["cake"] }
        }
        #expect(
            state?.text == """
                expected another state after {"type":"remind","payload":{"id":"tea"}}:
                    /waiting/0: expected "cake", found "tea"
                """)
        let time = await #expect(throws: TestFailure.self) { try await store.receive(.due(id: "tea")) }
        #expect(
            time?.text
                == #"expected {"type":"due","payload":{"id":"tea"}}, found that 1 effect is running, asleep until the clock has moved by 1.0 seconds; call advance(by:)"#
        )
    }

    @Test func `the manifest of the guide says what the plugin does`() throws {
        try Reminder.checkManifest(at: "Tests/PluginTests/Examples/reminder.json")
    }
}
