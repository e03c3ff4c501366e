// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import GatehouseHost
import GatehouseManifest
import GatehouseSDK
import LinkedListener

/// Hosts with many instances of the listener, of which the first listens to `i0/ping`.
enum Installations {
    /// A host that loaded the listener from its library.
    static func loaded(count: Int, answersWithEffect: Bool = false) throws -> Host {
        let folder = try stage()
        let entries = (0..<count).map {
            #"{"id":"i\#($0)","library":"libListenerPlugin.so","settings":{"answersWithEffect":\#(answersWithEffect)}}"#
        }
        let text = #"{"directory":"\#(folder)","plugins":[\#(entries.joined(separator: ","))]}"#
        let assembler = Assembler(
            cache: ImageCache(), dependencies: dependencies, trust: FileTrust(isStrict: false),
            baseDirectory: "/")
        let assembly = try assembler.assemble(ConfigurationParser.parse(Array(text.utf8), file: "benchmark"))
        return Host(assembly, reports: desk)
    }

    /// A host into which the listener is linked.
    static func linked(count: Int) throws -> Host {
        let exports = listenerExports()
        let manifest = try PluginManifest(
            parsing: Array(
                #"{"id":"listener","version":"1.0.0","summary":"Listens","principal":"Listener","consumes":["ping"]}"#
                    .utf8))
        let plugins = (0..<count).map {
            LinkedPlugin(entry: InstanceConfiguration(id: "i\($0)"), manifest: manifest, exports: exports)
        }
        return Host(try Assembly(linking: plugins, dependencies: dependencies), reports: desk)
    }

    private static let desk = ReportDesk { print($0) }

    private static var dependencies: HostDependencies {
        HostDependencies(
            clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
            report: { desk.send($0) })
    }

    /// A folder with the listener's library alone.
    private static func stage() throws -> String {
        let built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let folder = built.appending(path: "listener-only")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = folder.appending(path: "libListenerPlugin.so")
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.copyItem(at: built.appending(path: "libListenerPlugin.so"), to: target)
        return folder.path
    }
}
