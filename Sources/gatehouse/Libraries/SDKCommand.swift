// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseManifest
internal import GatehouseSDK

/// `gatehouse sdk`: where the sources are that plugins of this host are built with.
struct SDKCommand {
    /// Whether it is told as JSON.
    let isJSON: Bool

    /// Prints the folder, or why there is none.
    func run() -> ExitCode {
        do {
            let folder = try SDKFolder.ofThisHost()
            let identity = SDKIdentity.current
            let facts: Members = [
                "path": .string(folder.path), "version": .string("\(identity.sdkVersion)"),
                "fingerprint": .string("\(identity.sdkFingerprint)"),
                "configuration": .string(identity.configuration.rawValue),
            ]
            if isJSON { Results.write(.object(facts), .pretty) } else { Results.writeLine(folder.path) }
            return .success
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            return .unavailable
        }
    }
}
