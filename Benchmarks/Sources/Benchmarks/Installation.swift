// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseLibrary
import GatehouseManifest
import GatehousePlan
import GatehouseRuntime
import GatehouseSDK
import LinkedListener

/// Hosts with plugins of this package.
enum Installation {
    /// A host that loaded a plugin from its library.
    ///
    /// - Parameters:
    ///   - plugin: the name of its folder.
    ///   - count: how many instances there are: `i0`, `i1` and so on.
    ///   - members: what their entries have beside id and library, each with a comma in front.
    ///   - state: the plain state of the host.
    static func loaded(
        _ plugin: String, count: Int = 1, _ members: String = "", state: String = "{}"
    ) throws -> Host {
        let entries = (0..<count).map { #"{"id":"i\#($0)","library":"lib\#(plugin)Plugin.so"\#(members)}"# }
        let text = """
            {"directory":"\(try stage(plugin))","discovery":"ignore","state":\(state),\
            "plugins":[\(entries.joined(separator: ","))]}
            """
        let assembler = Assembler(cache: ImageCache(), dependencies: dependencies)
        let planner = Planner(trust: FileTrust(isStrict: false), baseDirectory: "/")
        let assembly = try assembler.assemble(
            planner.plan(ConfigurationParser.parse(Array(text.utf8), file: "benchmark")))
        return Host(assembly, reports: reporter)
    }

    /// A host into which one listener is linked.
    static func linked() throws -> Host {
        let manifest = try PluginManifest(
            parsing: Array(
                #"{"id":"listener","version":"1.0.0","summary":"Listens","principal":"Listener","consumes":["ping"]}"#
                    .utf8))
        let plugin = LinkedPlugin(
            entry: InstanceConfiguration(id: "i0", settings: [:]), manifest: manifest,
            exports: listenerExports())
        return Host(try Assembly(linking: [plugin], dependencies: dependencies), reports: reporter)
    }

    private static let reporter = Reporter { print($0) }

    private static var dependencies: HostDependencies {
        HostDependencies(
            clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
            report: { reporter.send($0) })
    }

    /// A folder with one plugin's library alone, beside this program.
    private static func stage(_ plugin: String) throws -> String {
        let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let library = "lib\(plugin)Plugin.so"
        let folder = built.appending(path: "only-\(plugin)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = folder.appending(path: library)
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.copyItem(at: built.appending(path: library), to: target)
        return folder.path
    }
}
