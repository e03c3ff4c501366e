// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// `gatehouse version`: prints what a plugin must have in common with this host.
struct VersionCommand: ParsedCommand {
    /// Whether to print JSON.
    private let isJSON: Bool

    init(options: OptionReader) { isJSON = options.isJSON }

    func run() -> ExitCode {
        let identity = SDKIdentity.current
        let facts: Members = [
            "gatehouse": .string("\(identity.sdkVersion)"), "abi": Value(Int(identity.abi)),
            "sdk": .string("\(identity.sdkFingerprint)"),
            "sources": .string("\(identity.sdkSources)"), "compiler": .string(identity.compiler),
            "target": .string(identity.triple), "configuration": .string(identity.configuration.rawValue),
        ]
        if isJSON {
            Results.write(.object(facts), .pretty)
        } else {
            for (name, fact) in facts { Results.writeLine("\(name) \(fact.stringValue ?? fact.json())") }
        }
        return .success
    }
}
