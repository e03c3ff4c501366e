// SPDX-License-Identifier: Apache-2.0

internal import GatehouseChecks
internal import GatehouseManifest
internal import GatehouseSDK

/// `gatehouse sdk`: locates the sources that plugins of this host are built with.
struct SDKCommand {
    /// The form of the output.
    enum Form: Equatable {
        /// The folder.
        case folder
        /// The folder and its identity, as JSON.
        case json
        /// The environment variables of a build, for a shell.
        case environment
    }

    /// The requested form.
    let form: Form

    /// Prints the folder, or why there is none.
    func run() -> ExitCode {
        do {
            let folder = try SDKFolder.ofThisHost()
            let identity = SDKIdentity.current
            switch form {
            case .folder: Results.writeLine(folder.path)
            case .environment:
                for (name, value) in try folder.environment() {
                    Results.writeLine(ShellExport.text(name, value))
                }
            case .json:
                let facts: Members = [
                    "path": .string(folder.path), "version": .string("\(identity.sdkVersion)"),
                    "fingerprint": .string("\(identity.sdkFingerprint)"),
                    "configuration": .string(identity.configuration.rawValue),
                ]
                Results.write(.object(facts), .pretty)
            }
            return .success
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            return .unavailable
        }
    }
}
