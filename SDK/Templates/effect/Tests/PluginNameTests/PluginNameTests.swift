import GatehouseTesting
import Testing

@testable import PluginName

@Suite struct PluginNameTests {
    @Test func `it greets who says hello`() async throws {
        let store = try TestStore(PluginName.self, settings: ["greeting": "Good day"])
        try store.send(.hello(name: "Ada"))
        try await store.receive(.greeted(text: "Good day, Ada!"))
        try await store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try PluginName.checkManifest(at: "Sources/PluginName/plugin.json")
    }
}
