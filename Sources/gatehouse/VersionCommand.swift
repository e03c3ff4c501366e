// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse version`: prints what a plugin must have in common with this host; as JSON, with all that describes it as an installed
/// version of a later one.
struct VersionCommand: ParsedCommand {
    /// Whether to print JSON.
    private let isJSON: Bool

    init(options: OptionReader) { isJSON = options.isJSON }

    func run() -> ExitCode {
        let identity = SDKIdentity.current
        let facts: Members = [
            "gatehouse": .string("\(identity.sdkVersion)"), "abi": Value(Int(identity.abi)),
            "sdk": .string("\(identity.sdkFingerprint)"),
            "sources": .string("\(identity.sdkSources)"), "protocol": Value(ChildProtocol.number),
            "compiler": .string(identity.compiler), "target": .string(identity.triple),
            "configuration": .string(identity.configuration.rawValue),
        ]
        if isJSON {
            Results.write(.object(Members(Array(facts) + [("files", Self.files)])), .pretty)
        } else {
            for (name, fact) in facts { Results.writeLine("\(name) \(fact.stringValue ?? fact.json())") }
        }
        return .success
    }

    /// The digests of the program and of its SDK, by the names that they have in the folder of an installed version; null for a file that
    /// cannot be read.
    private static var files: Value {
        let members = InstalledVersion.describedFiles.map { name -> (String, Value) in
            let path = LoadedLibraries.host.path(of: name) ?? HostChild.ownProgram
            return (name, (try? SystemFile.digest(ofFile: path)).map { .string($0.hex) } ?? .null)
        }
        return .object(Members(members))
    }
}
