// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct LibraryInspectionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// The description of bytes in a file.
    private func inspect(_ library: FixtureLibrary) throws -> LibraryInspection {
        try LibraryInspection(path: folder.write(library.bytes, to: "lib.so"))
    }

    @Test func `the digest is the one of the bytes`() throws {
        let library = try FixtureLibrary("SilentEntry")
        let inspection = try inspect(library)
        #expect(inspection.digest == SHA256.digest(library.bytes))
        #expect(inspection.count == library.bytes.count)
        #expect(inspection.verdict.isAccepted)
    }

    @Test(arguments: Defect.all)
    func `a broken library is described with the reasons of its verdict`(defect: Defect) throws {
        let (library, reasons) = try defect.library()
        let inspection = try inspect(library)
        #expect(inspection.verdict.refusals.map(\.description) == reasons)
        #expect(inspection.text.hasSuffix("verdict: refused\n" + reasons.map { "  - \($0)\n" }.joined()))
        #expect(inspection.value["accepted"] == false)
        #expect(inspection.value["refusals"] == .array(reasons.map { .string($0) }))
    }

    @Test(arguments: [
        ("CounterPlugin", true), ("PersistencePlugin", true), ("ProbePlugin", true),
        ("InterceptorPlugin", true), ("ShapesPlugin", true), ("LoggerPlugin", nil),
        ("CrashReportsPlugin", nil), ("RulesPlugin", nil),
    ])
    func `code is generated for every plugin here that has actions of its own`(
        name: String, isGenerated: Bool?
    ) throws {
        let inspection = try LibraryInspection(path: BuiltProducts.library(name))
        #expect(inspection.verdict.note?.coding == isGenerated.map { _ in .generated })
        #expect(inspection.value["note"]?["coding"] == isGenerated.map { ["generated": .bool($0)] })
    }

    @Test func `programs find all keys, in the order in which they are described`() throws {
        let inspection = try inspect(FixtureLibrary("SilentEntry"))
        #expect(
            inspection.value.objectValue?.keys == [
                "path", "bytes", "sha256", "kind", "machine", "soname", "note", "worker", "identity",
                "entryExported", "needed", "runPath", "missingSymbols", "warnings", "accepted", "refusals",
            ])
    }

    @Test func `a plugin that Codable reads is described with the reason`() throws {
        var library = try FixtureLibrary("SilentEntry")
        try library.changeNote(
            #""manifest":"#, to: #""coding":{"generated":false,"reason":"A.Action holds #if"},"manifest":"#)
        let text = try inspect(library).text
        #expect(text.contains("\n  coding       by Codable, because A.Action holds #if\n"))
    }

    @Test func `a plugin that takes part with an entry alone is described so`() throws {
        var library = try FixtureLibrary("SilentEntry")
        #expect(try !inspect(library).text.contains("discovery"))
        try library.changeNote(#""id":"broken""#, to: #""discovery":"never","id":"broken""#)
        #expect(try inspect(library).text.contains("\n  discovery    never, only with an entry\n"))
    }

    @Test func `a library for another machine is described all the same`() throws {
        var library = try FixtureLibrary("SilentEntry")
        library.write(UInt16(243), at: 18)
        let inspection = try inspect(library)
        #expect(inspection.value["machine"] == "riscv64")
        #expect(inspection.verdict.note?.manifest.id == "broken")
        #expect(inspection.needed.map(\.source).allSatisfy { $0 == .unknown })
    }

    @Test func `a library that was cut off is described as far as it goes`() throws {
        var library = try FixtureLibrary("SilentEntry")
        library.bytes.removeLast(library.bytes.count / 2)
        let inspection = try inspect(library)
        #expect(inspection.image == nil)
        #expect(inspection.value["kind"] == "shared object")
        #expect(inspection.value["machine"] != .null)
    }

    @Test func `names that this host's SDK lacks explain another fingerprint`() throws {
        var library = try CounterLibrary()
        let own = SDKIdentity.current.sdkFingerprint
        try library.replaceInNote(own, with: String(repeating: "0", count: 64))
        let symbol = "$s12GatehouseSDK6PluginMp"
        let other = "$s12GatehouseSDK6PlagueMp"
        #expect(try library.replaceEverywhere("\0\(symbol)\0", with: "\0\(other)\0") > 0)
        let inspection = try LibraryInspection(path: folder.write(library.bytes, to: "lib.so"))
        #expect(inspection.missingSymbols == [other])
        #expect(
            inspection.verdict.refusals.map(\.description) == [
                "SDK fingerprint: expected \(own), found \(String(repeating: "0", count: 64)); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\"",
                "uses what this host's SDK does not have: protocol descriptor for GatehouseSDK.Plague; rebuild the plugin with this host's SDK",
            ])
        #expect(inspection.text.contains("  - protocol descriptor for GatehouseSDK.Plague\n"))
    }

    @Test func `other sources of the SDK are shown, and that they do not decide`() throws {
        var library = try CounterLibrary()
        let own = SDKIdentity.current.sdkSources
        let other = String(repeating: "0", count: 64)
        try library.replaceInNote(own, with: other)
        try library.replaceNote { $0.replacing(#""sdkBodies":true"#, with: #""sdkBodies":false"#) }
        let inspection = try LibraryInspection(path: folder.write(library.bytes, to: "lib.so"))
        #expect(inspection.verdict.isAccepted)
        #expect(inspection.text.contains("\n  SDK sources          differs: \(other), host: \(own)\n"))
        #expect(
            inspection.value["identity"]?.arrayValue?.last == [
                "field": "sdkSources", "host": .string(own), "plugin": .string(other), "agrees": false,
                "decides": false,
            ])
    }

    @Test func `owner and mode warn and do not refuse`() throws {
        let path = try folder.write(FixtureLibrary("SilentEntry").bytes, to: "lib.so")
        try FileSystem.setMode(0o666, of: path)
        try FileSystem.link(folder("link.so"), to: "lib.so")
        let inspection = try LibraryInspection(path: folder("link.so"))
        #expect(
            inspection.warnings == [
                "it is a link; run loads plain files only, put the library itself into the folder",
                "run would refuse it: everybody may write to it (mode 666); take that away with chmod o-w",
            ])
        #expect(inspection.verdict.isAccepted)
    }

    @Test func `a run path that nobody else may write to is a warning`() throws {
        var library = try FixtureLibrary("RelativeRunPath")
        try library.replace("libraries\0", with: "/usr/none\0")
        let inspection = try inspect(library)
        #expect(
            inspection.warnings == [
                "its run path has \"/usr/none\", probably a folder of the machine that built it; link the plugin without it"
            ])
        #expect(inspection.value["warnings"] == .array(inspection.warnings.map(Value.string)))
        #expect(inspection.verdict.isAccepted)
    }

    @Test func `texts of the file cannot move the terminal`() throws {
        var library = try FixtureLibrary("SilentEntry")
        try library.replace("libc.so.6\0", with: "l\u{1B}[31m\n66\0")
        let text = try inspect(library).text
        #expect(!text.contains("\u{1B}"))
        #expect(text.contains(#"l\u{1B}[31m\n66"#))
    }

    @Test func `what is no file is an error`() throws {
        #expect(throws: LibraryFileError.missing(path: folder("none"))) {
            try LibraryInspection(path: folder("none"))
        }
        #expect(throws: LibraryFileError.notARegularFile(path: folder.path)) {
            try LibraryInspection(path: folder.path)
        }
    }

    @Test func `what is no plugin is described as far as its headers lead`() throws {
        let bytes = RawLibrary(entries: [(.soname, 1), (.needed, 16), (.needed, 1), (.runpath, 5)]).bytes
        let inspection = try LibraryInspection(path: folder.write(bytes, to: "lib.so"))
        let machine = try #require(ELFMachine.current)
        #expect(
            inspection.text.hasPrefix(
                """
                \(folder("lib.so"))
                  size    14336 bytes
                  sha256  \(SHA256.digest(bytes).hex)
                  kind    shared object for \(machine)
                  soname  one

                needed libraries
                  .other  ABSENT
                  one     ABSENT

                run path
                  .data  REFUSED: relative to wherever the host is started

                verdict: refused
                  - 
                """), "\(inspection.text)")
        #expect(inspection.identity == [])
        #expect(inspection.missingSymbols == [])
    }

    @Test func `a file of another kind has a size, a digest and a reason`() throws {
        let text = String(repeating: "abcdefg\n", count: 20_000)
        let inspection = try LibraryInspection(path: folder.write(text, to: "lib.so"))
        #expect(
            inspection.text == """
                \(folder("lib.so"))
                  size    160000 bytes
                  sha256  \(SHA256.digest(Array(text.utf8)).hex)
                  kind    not a 64-bit ELF file

                verdict: refused
                  - \(inspection.verdict.refusals.map(\.description).joined())

                """)
        #expect(inspection.verdict.refusals.count == 1)
        #expect(inspection.needed.isEmpty)
        #expect(inspection.warnings == [])
    }

    @Test func `a group that may write is a warning, and so is a link`() throws {
        let path = try folder.write(FixtureLibrary("SilentEntry").bytes, to: "lib.so")
        try FileSystem.setMode(0o664, of: path)
        #expect(
            try LibraryInspection(path: path).warnings == [
                "its group may write to it (mode 664), refused with --strict; take that away with chmod g-w"
            ])
    }
}
