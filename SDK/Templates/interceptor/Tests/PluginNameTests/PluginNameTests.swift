import GatehouseTesting
import Testing

@testable import PluginName

@Suite struct PluginNameTests {
    @Test func `an order above the limit needs approval`() async throws {
        let store = try TestStore(PluginName.self, settings: ["maximum": 50])
        try store.send(.placed(id: 1, total: 50))
        try store.send(.placed(id: 2, total: 51))
        try await store.receive(.approvalNeeded(id: 2))
        try await store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try PluginName.checkManifest(at: "Sources/PluginName/plugin.json")
    }
}
