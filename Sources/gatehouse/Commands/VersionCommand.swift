// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// `gatehouse version`: what a plugin must have in common with this host.
struct VersionCommand {
    /// Prints the identity and ends with success.
    func run() -> ExitCode {
        let identity = SDKIdentity.current
        print("gatehouse \(identity.sdkVersion)")
        print("abi \(identity.abi)")
        print("sdk \(identity.sdkFingerprint)")
        print("compiler \(identity.compiler)")
        print("target \(identity.triple)")
        print("configuration \(identity.configuration.rawValue)")
        return .success
    }
}
