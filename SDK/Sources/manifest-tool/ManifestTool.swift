import FoundationEssentials
import GatehouseManifest
@main struct ManifestTool {
    static func main() {
        let args = CommandLine.arguments
        if args[1] == "stamp" {
            try! "public let sdkIdentity = \"\(compilerIdentity())\"\n".write(toFile: args[2], atomically: true, encoding: .utf8)
        } else {
            let n = 2560
            let words = Array(repeating: "0x2020202020202020", count: n).joined(separator: ",")
            let text = """
            import GatehouseSDK
            @section(".note.gatehouse") @used
            private let note: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, InlineArray<\(n), UInt64>) = (10, \(n*8), 1, 0x65746167, 0x73756f68, 0x00000065, [\(words)])
            @c(gatehouse_plugin_v1_\(args[3]))
            public func gatehousePluginEntry(_ host: UnsafeRawPointer?) -> UnsafeMutableRawPointer? {
                unsafe PluginEntry.exports(Greeter.self, for: host)
            }
            """
            try! text.write(toFile: args[2], atomically: true, encoding: .utf8)
        }
    }
}
