// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

/// Which of the installed versions takes a plugin, and which are left out.
struct InstalledVersionsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Installs a version that was built with an SDK of this fingerprint.
    private func install(_ name: String, _ fingerprint: String, number: Int = ChildProtocol.number) throws {
        let path = try folder.makeFolder(name)
        let own = SDKIdentity.current
        var files = Members()
        for file in InstalledVersion.describedFiles {
            try FileSystem.write(Array(file.utf8), to: path + "/" + file, mode: 0o755)
            files[file] = .string(SHA256.digest(Array(file.utf8)).hex)
        }
        let description: Value = [
            "gatehouse": "0.5.0", "abi": Value(Int(own.abi)), "sdk": .string(fingerprint),
            "sources": .string(own.sdkSources), "compiler": .string(own.compiler),
            "target": .string(own.triple), "configuration": .string(own.configuration.rawValue),
            "protocol": Value(number), "files": .object(files),
        ]
        try folder.write(description.json(), to: "\(name)/version.json")
    }

    /// The versions that are installed.
    private func versions() -> InstalledVersions {
        InstalledVersions(in: folder.path, trust: FileTrust(isStrict: false))
    }

    /// The identity of a plugin that was built with an SDK of this fingerprint.
    private func plugin(_ fingerprint: String, compiler: String? = nil) -> BuildIdentity {
        let own = SDKIdentity.current
        return BuildIdentity(
            abi: own.abi, sdkVersion: own.sdkVersion, sdkFingerprint: fingerprint, sdkSources: own.sdkSources,
            seesBodies: true, compiler: compiler ?? own.compiler, triple: own.triple,
            configuration: own.configuration, toolsVersion: own.toolsVersion)
    }

    @Test func `a plugin goes to the first version by name that it fits exactly`() throws {
        try install("0.5.1", "a")
        try install("0.5.0", "a")
        try install("0.4.0", "b")
        let versions = versions()
        #expect(versions.all.map(\.name) == ["0.4.0", "0.5.0", "0.5.1"])
        #expect(versions.warnings == [])
        #expect(versions.version(for: plugin("a"))?.version.name == "0.5.0")
        #expect(versions.version(for: plugin("a"))?.obstacle == nil)
        #expect(versions.version(for: plugin("b"))?.version.name == "0.4.0")
        #expect(versions.version(for: plugin("c")) == nil)
        #expect(versions.version(for: plugin("a", compiler: "another")) == nil)
    }

    @Test func `a version that cannot work for this host is passed over for one that can`() throws {
        try install("0.4.0", "a", number: 7)
        try install("0.5.0", "a")
        #expect(versions().version(for: plugin("a"))?.version.name == "0.5.0")
        FileSystem.remove(folder("0.5.0/libGatehouseSDK.so"))
        let found = versions().version(for: plugin("a"))
        #expect(found?.version.name == "0.4.0")
        #expect(
            found?.obstacle
                == "speaks protocol 7 with its host, and this host speaks 1; install a build of it that speaks 1"
        )
    }

    @Test func `a version without its SDK takes nothing`() throws {
        try install("0.5.0", "a")
        FileSystem.remove(folder("0.5.0/libGatehouseSDK.so"))
        #expect(
            versions().version(for: plugin("a"))?.obstacle
                == "has no libGatehouseSDK.so that can be read; install it again")
    }

    @Test func `whether a version can work is found out once, for all plugins that need it`() throws {
        try install("0.5.0", "a")
        let before = versions()
        #expect(try #require(before.version(for: plugin("a"))).obstacle == nil)
        FileSystem.remove(folder("0.5.0/libGatehouseSDK.so"))
        #expect(try #require(before.version(for: plugin("a"))).obstacle == nil)
        let after = versions()
        let obstacle = try #require(after.version(for: plugin("a"))?.obstacle)
        try folder.write("libGatehouseSDK.so", to: "0.5.0/libGatehouseSDK.so")
        #expect(try #require(versions().version(for: plugin("a"))).obstacle == nil)
        #expect(after.version(for: plugin("a"))?.obstacle == obstacle)
    }

    @Test func `a folder below that others can change leaves the version out`() throws {
        try install("0.5.0", "a")
        let runtime = try folder.makeFolder("0.5.0/swift")
        try FileSystem.setMode(0o777, of: runtime)
        let versions = versions()
        #expect(versions.all == [])
        #expect(
            versions.warnings == [
                "the installed version 0.5.0 is left out: \(runtime): everybody may write to it (mode 777); take that away with chmod o-w"
            ])
    }

    @Test func `a relative path of the folder is refused, and no folder is no version`() {
        let trust = FileTrust(isStrict: false)
        #expect(
            InstalledVersions(in: "versions", trust: trust).warnings == [
                "GATEHOUSE_VERSIONS: expected an absolute path, found \"versions\"; write the whole path of the folder"
            ])
        for folder in [folder("none"), nil] {
            let versions = InstalledVersions(in: folder, trust: trust)
            #expect(versions.all == [])
            #expect(versions.warnings == [])
        }
    }

    @Test func `the reason names every field in which a plugin differs`() throws {
        try install("0.5.0", "a")
        let version = try #require(versions().all.first)
        let one = VersionMatch(
            version: version, differences: [.identity(field: .sdkFingerprint, expected: "x", found: "y")])
        #expect(one.reason() == "its SDK fingerprint differs from this host's")
        #expect(one.reason(ofOne: false) == "their SDK fingerprint differs from this host's")
        let both = VersionMatch(
            version: version,
            differences: [
                .identity(field: .compiler, expected: "x", found: "y"),
                .identity(field: .sdkFingerprint, expected: "x", found: "y"),
            ])
        #expect(both.reason() == "its compiler and SDK fingerprint differ from this host's")
    }
}
