import GatehouseSDK
import GatehouseTesting
import Testing

@testable import PluginName

@Suite struct PluginNameTests {
    @Test func `it warns of actions that tell of an error`() async throws {
        let store = try TestStore(PluginName.self)
        try store.send(AnyAction("orders/placed"))
        try store.send(AnyAction("orders/lost", error: true))
        #expect(store.log == ["warning: orders/lost tells of an error"])
        try await store.finish()
    }

    @Test func `the manifest says what the plugin does`() throws {
        try PluginName.checkManifest(at: "Sources/PluginName/plugin.json")
    }
}
