// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseChecks

@Suite(.timeLimit(.minutes(10))) struct SDKFolderTests {
    @Test(arguments: [
        ("/usr/local/lib/gatehouse/gatehouse", ["/usr/local/share/gatehouse/SDK"]),
        (
            "/home/ada/gatehouse/.build/debug/gatehouse",
            ["/home/ada/gatehouse/share/gatehouse/SDK", "/home/ada/gatehouse/SDK"]
        ),
        (
            "/src/.build/x86_64-unknown-linux-gnu/release/gatehouse",
            ["/src/.build/share/gatehouse/SDK", "/src/SDK"]
        ),
        ("/gatehouse", []),
    ])
    func `the sources are beside an installed program or above its build folder`(
        program: String, places: [String]
    ) {
        #expect(SDKFolder.places(for: program) == places)
    }

    @Test func `a folder without sources is no SDK`() throws {
        let folder = try TemporaryFolder()
        #expect(throws: SDKFolderError.noSDK(path: folder.path)) { try SDKFolder(path: folder.path) }
        #expect(throws: SDKFolderError.noSDK(path: folder("none"))) { try SDKFolder(path: folder("none")) }
    }

    @Test func `sources that this host was not built from are told with both fingerprints`() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("Sources")
        _ = try folder.makeFolder("Sources/GatehouseSDK")
        let files = [
            ("Package.swift", "// swift-tools-version: 6.3"), ("Sources/GatehouseSDK/A.swift", "let a = 1"),
        ]
        for (name, text) in files { try folder.write(text, to: name) }
        // What does not count for the fingerprint.
        try folder.write("notes", to: "Sources/GatehouseSDK/A.md")
        let host = SDKIdentity.current
        let found = SDKFingerprint(
            sources: files.map { SourceFile(path: $0.0, content: Array($0.1.utf8)) }
        ).hex(
            toolsVersion: host.toolsVersion, compiler: host.compiler, triple: host.triple,
            configuration: host.configuration)
        #expect(
            throws: SDKFolderError.differs(path: folder.path, expected: host.sdkFingerprint, found: found)
        ) { try SDKFolder(path: folder.path) }
    }

    @Test func `each refusal is a sentence that says what to do`() {
        #expect(
            "\(SDKFolderError.missing(places: ["/a/share/gatehouse/SDK", "/b/SDK"]))"
                == "expected the sources of the SDK in /a/share/gatehouse/SDK or /b/SDK, found none; install the package gatehouse-sdk, run make install, or name their folder in GATEHOUSE_SDK"
        )
        #expect(
            "\(SDKFolderError.noSDK(path: "/a"))"
                == "/a: expected a folder with the sources of the SDK, found no Package.swift and Sources/GatehouseSDK in it; name the folder SDK of the sources that this host was built from"
        )
        #expect(
            "\(SDKFolderError.unreadable(path: "/a/Package.swift", reason: "Permission denied"))"
                == "/a/Package.swift: expected a source of the SDK, cannot read it: Permission denied; make it readable"
        )
        #expect(
            "\(SDKFolderError.differs(path: "/a", expected: "12", found: "34"))"
                == "/a: SDK fingerprint: expected 12, found 34; this host would refuse plugins that are built with it: build the host from these sources, or name the folder of those that it was built from in GATEHOUSE_SDK"
        )
    }
}
