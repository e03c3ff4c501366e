// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// What the guide for plugin authors shows of errors and of the end of a run.
@Suite(.timeLimit(.minutes(10))) struct EndingExamplesTests {
    @Test func `a mail that cannot be sent is an error, one that was sent is none`() async throws {
        let store = try TestStore(Mail.self)
        try store.send(.send(text: "hello"))
        try await store.receive(wire: ["type": "sent"])
        try store.send(.send(text: ""))
        try await store.receive(
            wire: ["type": "failed", "payload": ["reason": "there is nothing to send"], "error": true])
        try await store.finish()
    }

    @Test func `a tally tells its total when the run ends`() async throws {
        let store = try TestStore(Tally.self)
        for count in 1...3 { try store.send(.count) { $0.count = count } }
        store.stop()
        try await store.receive(.total(3))
        try await store.finish()
    }
}
