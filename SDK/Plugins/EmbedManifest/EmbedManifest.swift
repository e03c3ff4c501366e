import Foundation
import PackagePlugin
@main struct EmbedManifest: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let tool = try context.tool(named: "manifest-tool")
        let out = context.pluginWorkDirectoryURL.appending(path: "Generated.swift")
        let sdk = URL(filePath: #filePath).deletingLastPathComponent()
        _ = sdk
        if target.name == "GatehouseSDK" {
            return [.buildCommand(displayName: "Stamping", executable: tool.url, arguments: ["stamp", out.path], inputFiles: [], outputFiles: [out])]
        }
        let m = target.directoryURL.appending(path: "plugin.json")
        return [.buildCommand(displayName: "Embedding plugin.json", executable: tool.url, arguments: ["embed", out.path, target.name], inputFiles: [m], outputFiles: [out])]
    }
}
