// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

/// A scene with a version that is installed beside the host, and libraries that were built for it.
///
/// A second SDK takes minutes to build, so the program of the version is this one behind a script, which notes each use of it; only what
/// its description and the notes of its libraries say is older. `make torture-binding` does the same with a real one.
struct OlderVersion {
    /// The folder with configuration, plugins and versions.
    let scene: Scene
    /// The fingerprint of the older SDK.
    static let fingerprint = String(repeating: "0", count: 64)

    /// What the program runs with.
    var environment: [String: String] {
        scene.environment.merging(["GATEHOUSE_VERSIONS": scene.folder("versions")]) { $1 }
    }

    /// The compiler that is said to have built the older host and its libraries; nil for that of this host.
    let compiler: String?

    /// The facts of this host, as `gatehouse version --json` prints them.
    let facts: Value

    /// The fingerprint of this host's SDK.
    var own: String { facts["sdk"]?.stringValue ?? "" }

    /// Makes the scene.
    ///
    /// - Parameters:
    ///   - libraries: the targets of libraries that were built for this host.
    ///   - older: those of libraries that were built for the older one.
    ///   - major: the first digit of the version of the compiler that built the older one; nil for the compiler of this host.
    init(_ configuration: String, libraries: [String] = [], older: [String], compiledBy major: Int? = nil)
        throws
    {
        scene = try Scene(configuration, libraries: libraries)
        facts = try JSONText.parse(ChildProcess.run(arguments: ["version", "--json"]).output)
        let own = try #require(facts["compiler"]?.stringValue)
        compiler = major.map { "\($0)" + own.dropFirst() }
        for library in older { try addLibrary(library) }
    }

    /// Adds a library that was built for the older host.
    func addLibrary(_ target: String, as name: String? = nil) throws {
        var bytes = try FileSystem.read(BuiltProducts.library(target))
        bytes.replace(Array(own.utf8), with: Array(Self.fingerprint.utf8))
        if let compiler, let own = facts["compiler"]?.stringValue {
            bytes.replace(Array(own.utf8), with: Array(compiler.utf8))
        }
        try FileSystem.write(
            bytes,
            to: scene.folder("plugins/" + (name ?? "lib\(target).so")))
    }

    /// Installs the older host.
    ///
    /// - Parameters:
    ///   - program: the script that is its program; nil for one that notes its use and goes on with this program.
    ///   - change: changes its description.
    func install(
        _ name: String = "0.5.0", program: String? = nil, change: (inout Members) -> Void = { _ in }
    ) throws {
        if !FileSystem.exists(scene.folder("versions")) { _ = try scene.folder.makeFolder("versions") }
        let folder = try scene.folder.makeFolder("versions/\(name)")
        let script =
            program
            ?? "#!/bin/sh\necho \"$4\" >> \(scene.folder("uses"))\nexec \(BuiltProducts.program) \"$@\"\n"
        try FileSystem.write(Array(script.utf8), to: folder + "/gatehouse", mode: 0o755)
        try FileSystem.link(folder + "/libGatehouseSDK.so", to: BuiltProducts.folder + "/libGatehouseSDK.so")
        var facts = try #require(facts.objectValue)
        facts["gatehouse"] = "0.5.0"
        facts["sdk"] = .string(Self.fingerprint)
        if let compiler { facts["compiler"] = .string(compiler) }
        facts["files"] = [
            "gatehouse": .string(SHA256.digest(Array(script.utf8)).hex),
            "libGatehouseSDK.so": facts["files"]?["libGatehouseSDK.so"] ?? .null,
        ]
        change(&facts)
        try scene.folder.write(Value.object(facts).json(), to: "versions/\(name)/version.json")
    }

    /// The tasks for which the program of the version was used, in order.
    func uses() throws -> [String] {
        guard FileSystem.exists(scene.folder("uses")) else { return [] }
        return try scene.folder.read("uses").split(separator: "\n").map(String.init)
    }

    /// Runs the program.
    func call(_ arguments: String..., input: String = "") throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: arguments, input: Array(input.utf8), in: scene.folder.path, environment: environment)
    }
}
