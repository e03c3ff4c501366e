// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// The plugin that the guide for plugin authors goes through.
@Suite(.timeLimit(.minutes(1)))
struct ReminderTests {
    /// What the middleware answers to one action when time is up at once.
    private func answer(to action: AnyAction, settings: Value) async throws -> AnyAction? {
        let parts = try PluginEntry.exports(of: Reminder.self).makeParts(settings: settings) { misfit in
            Issue.record("\(misfit)")
        }
        let services = HostServices(
            instance: "reminder", log: PluginLog { _, _ in },
            clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil)
        let middleware = try #require(parts.readers.first).inject(services)
        let (answers, continuation) = AsyncStream<AnyAction>.makeStream()
        middleware.handle(action: action, from: .here(), state: GetState { parts.slice })
            .run { continuation.yield($0.action) }
        let answer = await answers.first { _ in true }
        withExtendedLifetime(middleware) {}
        return answer
    }

    @Test(arguments: [["id": "tea"], ["id": "tea", "after": -3]] as [Value])
    func `a reminder is due when its time is up`(payload: Value) async throws {
        let due = try #require(
            await answer(to: AnyAction("remind", payload: payload), settings: ["seconds": 0]))
        #expect(try due.wireForm() == ["type": "due", "payload": ["id": "tea"]])
    }

    @Test func `reminders wait in order until they are due or forgotten`() throws {
        let harness = try PluginHarness(Reminder.self)
        harness.send("remind", ["id": "tea"])
        harness.send("remind", ["id": "cake"])
        harness.send("remind", ["id": "tea"])
        #expect(try harness.state == ["waiting": ["cake", "tea"]])
        harness.send("forget", "cake")
        #expect(try harness.state == ["waiting": ["tea"]])
        harness.send("due", ["id": "tea"])
        #expect(try harness.state == ["waiting": []])
        #expect(harness.lines == ["info: 0 still waiting"])
    }

    @Test func `what changes nothing is reported as unchanged`() throws {
        let harness = try PluginHarness(Reminder.self)
        harness.send("forget", "tea")
        #expect(harness.version == 0)
    }

    @Test func `the names that the manifest of the guide declares are cases`() {
        #expect(PluginEntry.exports(of: Reminder.self).unknownNames(in: ["remind", "forget", "due"]) == [])
    }
}
