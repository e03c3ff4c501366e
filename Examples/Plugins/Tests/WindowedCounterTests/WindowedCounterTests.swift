// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import WindowedCounter

@Suite struct WindowedCounterTests {
    @Test func `counts are told at the end of the window, and the next window begins empty`() async throws {
        let store = try TestStore(WindowedCounter.self, settings: ["seconds": 10])
        try store.send(.seen(key: "a")) { $0.counts = ["a": 1] }
        store.advance(by: .seconds(9))
        try store.send(.seen(key: "a")) { $0.counts = ["a": 2] }
        store.advance(by: .seconds(1))
        try await store.receive(.ended)
        try await store.receive(.counted(counts: ["a": 2])) { $0.counts = [:] }
        store.advance(by: .seconds(60))
        #expect(store.runningEffects == 0)
        try await store.finish()
    }

    @Test func `what was counted is told when the run ends`() async throws {
        let store = try TestStore(WindowedCounter.self)
        try store.send(.seen(key: "a")) { $0.counts = ["a": 1] }
        store.stop()
        try await store.receive(.counted(counts: ["a": 1])) { $0.counts = [:] }
        try await store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try WindowedCounter.checkManifest(at: "Sources/WindowedCounter/plugin.json")
    }
}
