// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Testing

@Suite(.timeLimit(.minutes(10))) struct SDKFingerprintTests {
    /// The fingerprint of some sources compiled in a usual way.
    private func fingerprint(
        _ files: [(String, String)], toolsVersion: String = "6.3", compiler: String = "21.0.0",
        triple: String = "x86_64-unknown-linux-gnu", configuration: BuildConfiguration = .debug
    ) -> String {
        SDKFingerprint(sources: files.map { SourceFile(path: $0, content: Array($1.utf8)) })
            .hex(toolsVersion: toolsVersion, compiler: compiler, triple: triple, configuration: configuration)
    }

    private let files = [
        ("Sources/A/A.swift", "struct A {\n    let b: Int\n}\n"), ("Sources/C/c.h", "int c(void);\n"),
    ]

    /// The digest of every byte of some sources.
    private func sources(_ files: [(String, String)]) -> String {
        SDKFingerprint(sources: files.map { SourceFile(path: $0, content: Array($1.utf8)) }).sources
    }

    @Test func `the order of files does not count`() {
        #expect(fingerprint(files.reversed()) == fingerprint(files))
        #expect(sources(files.reversed()) == sources(files))
    }

    @Test(arguments: [
        [("Sources/A/A.swift", "struct A {\n    let b: Int\n}\n")],
        [("Sources/A/A.swift", "struct A {\n    let b: UInt\n}\n"), ("Sources/C/c.h", "int c(void);\n")],
        [("Sources/A/B.swift", "struct A {\n    let b: Int\n}\n"), ("Sources/C/c.h", "int c(void);\n")],
        [("Sources/A/A.swift", "struct A {\n    let b: Int\n}\nint c(void);\n"), ("Sources/C/c.h", "")],
        [
            ("Sources/A/A.swift", "struct A {\n    let b: Int\n}\n"), ("Sources/C/c.h", "int c(void);\n"),
            ("Sources/D.swift", ""),
        ],
    ])
    func `declarations, paths and files count`(changed: [(String, String)]) {
        #expect(fingerprint(changed) != fingerprint(files))
        #expect(sources(changed) != sources(files))
    }

    @Test(arguments: [
        [
            ("Sources/A/A.swift", "struct A {\n    let b: Int  // why\n}\n"),
            ("Sources/C/c.h", "int c(void);\n"),
        ],
        [
            ("Sources/A/A.swift", "struct A {\n    let b: Int\n}\n"),
            ("Sources/C/c.h", "/// Why.\nint c(void);\n"),
        ],
        [
            ("Sources/A/A.swift", "struct A {\n    let b: Int\n}\n"), ("Sources/C/c.h", "int c(void);\n"),
            ("Sources/C/c.c", "int c(void) { return 1; }\n"),
        ],
    ])
    func `what stays in the library counts for the digest of all sources alone`(changed: [(String, String)]) {
        #expect(fingerprint(changed) == fingerprint(files))
        #expect(sources(changed) != sources(files))
    }

    @Test func `each fact of the build counts`() {
        let all = [
            fingerprint(files), fingerprint(files, toolsVersion: "6.4"),
            fingerprint(files, compiler: "21.0.1"),
            fingerprint(files, triple: "aarch64-unknown-linux-gnu"),
            fingerprint(files, configuration: .release),
            fingerprint(files, toolsVersion: "6.", compiler: "321.0.0"),
        ]
        #expect(Set(all).count == all.count)
        // Also where the end of one could be that of the next, with the zeros of a length before it.
        let zeros = String(repeating: "\0", count: 7)
        #expect(
            fingerprint(files, compiler: "a" + zeros + "b", triple: "c")
                != fingerprint(files, compiler: "a", triple: "b" + zeros + "c"))
        #expect(all.allSatisfy { $0.count == 64 })
    }

    @Test(arguments: [
        ("Sources/A/A.swift", true), ("Sources/C/include/c.h", true),
        ("Sources/C/include/module.modulemap", true),
        ("Sources/manifest-tool/ManifestTool.swift", false), ("Tests/A/A.swift", false),
        ("Package.swift", true), ("Sources/Package.md", false), ("Sources/C/c.c", true),
        ("Sources/A/README.md", false), ("Sources/A/.build/B.swift", false),
        ("Sources/A/A.swift.orig", false),
    ])
    func `what is linked into the library counts`(path: String, counts: Bool) {
        #expect(SourceFile.counts(path: path) == counts)
    }
}
