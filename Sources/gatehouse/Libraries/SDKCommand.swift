// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseManifest
internal import GatehouseSDK

/// `gatehouse sdk`: where the sources are that plugins of this host are built with.
struct SDKCommand {
    /// What is printed.
    enum Form: Equatable {
        /// The folder.
        case folder
        /// The folder and what it is, as JSON.
        case json
        /// The variables that a build needs, for a shell.
        case environment
    }

    /// What is asked for.
    let form: Form

    /// Prints it, or why there is none.
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
