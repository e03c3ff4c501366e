import GatehouseTesting
import Testing

@testable import PluginName

@Suite struct PluginNameTests {
    @Test func `who has arrived is present until leaving`() async throws {
        let store = try TestStore(PluginName.self)
        try store.send(.arrived(name: "Ada")) { $0.present = ["Ada"] }
        try store.send(.arrived(name: "Ada"))
        try store.send(.left(name: "Ada")) { $0.present = [] }
        try store.send(.left(name: "Ada"))
        try await store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try PluginName.checkManifest(at: "Sources/PluginName/plugin.json")
    }
}
