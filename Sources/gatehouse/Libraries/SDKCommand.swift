// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseManifest
internal import GatehouseSDK

/// `gatehouse sdk`: locates the sources that plugins of this host are built with.
struct SDKCommand: ParsedCommand {
    /// The parsed command line.
    let options: OptionReader

    /// Prints the folder, its identity or the environment of a build for a shell, or why there is no folder.
    func run() -> ExitCode {
        do {
            let folder = try SDKFolder.ofThisHost()
            let identity = SDKIdentity.current
            if options.isJSON {
                let facts: Members = [
                    "path": .string(folder.path), "version": .string("\(identity.sdkVersion)"),
                    "fingerprint": .string("\(identity.sdkFingerprint)"),
                    "sources": .string("\(identity.sdkSources)"),
                    "configuration": .string(identity.configuration.rawValue),
                ]
                Results.write(.object(facts), .pretty)
            } else if options.has("--environment") {
                for (name, value) in try folder.environment() {
                    Results.writeLine(ShellExport.text(name, value))
                }
            } else {
                Results.writeLine(folder.path)
            }
            return .success
        } catch {
            return .unavailable.because("\(error)")
        }
    }
}
