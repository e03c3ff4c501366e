// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

/// What the guide for plugin authors shows of errors and of the end of a run.
@Suite struct EndingExamplesTests {
    @Test func `a mail that cannot be sent is an error, one that was sent is none`() throws {
        let harness = try PluginHarness(Mail.self)
        harness.send("send", ["text": "hello"])
        harness.send("send", ["text": ""])
        #expect(
            try harness.actions.map { try $0.action.wireForm() } == [
                ["type": "send", "payload": ["text": "hello"]], ["type": "sent"],
                ["type": "send", "payload": ["text": ""]],
                ["type": "failed", "payload": ["reason": "there is nothing to send"], "error": true],
            ])
    }

    @Test func `a tally tells its total when the run ends`() throws {
        let parts = try PluginEntry.exports(of: Tally.self).makeParts(settings: [:]) {
            Issue.record("\($0)")
        }
        let services = HostServices(
            instance: "tally", log: PluginLog { _, _ in }, clock: nil, dataDirectory: nil)
        let middleware = try #require(parts.readers.first).inject(services)
        var slice = parts.slice
        for _ in 0..<3 { _ = parts.reducer?.apply(AnyAction("count"), &slice) }
        let told = Mutex<[AnyAction]>([])
        let state = GetState { [slice] in slice }
        middleware.stopping(state: state).run { output in told.withLock { $0.append(output.action) } }
        #expect(try told.withLock { $0 }.map { try $0.wireForm() } == [["type": "total", "payload": 3]])
    }
}
