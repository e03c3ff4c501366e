// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseManifest
import Testing

@testable import GatehouseChecks
@testable import GatehouseLibrary

/// Checks on the bytes of a library: each finds its defect, and nothing in a library without one.
@Suite(.timeLimit(.minutes(10))) struct FileChecksTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a check finds in some bytes.
    private func diagnostic(_ check: String, in bytes: [UInt8], mode: UInt32 = 0o600) throws
        -> CheckDiagnostic
    {
        try folder.write(bytes, to: "plugin.so")
        try FileSystem.setMode(mode, of: folder("plugin.so"))
        return try diagnostic(check, at: folder("plugin.so"))
    }

    /// What a check finds in a file.
    private func diagnostic(_ check: String, at path: String) throws -> CheckDiagnostic {
        guard case .file(let work)? = ValidationCheck[check]?.work else {
            throw CheckDiagnostic.fail("there is no check \(check) on bytes")
        }
        return try work(LibraryInspection(path: path))
    }

    /// What a check finds in a built library, or in one in C with a note that fits this host.
    private func diagnostic(
        _ check: String, in fixture: String, edit: (inout FixtureLibrary) throws -> Void = { _ in }
    ) throws -> CheckDiagnostic {
        var library = try FixtureLibrary(fixture)
        try edit(&library)
        return try diagnostic(check, in: library.bytes)
    }

    /// The checks on bytes that a sound library passes.
    @Test(arguments: ValidationCheck.all.filter { !$0.runsCode }.map(\.name))
    func `a bundled plugin passes`(check: String) throws {
        #expect(try diagnostic(check, at: BuiltProducts.library("CounterPlugin")) == .pass)
    }

    @Test(arguments: [
        (
            "library/note", "TwoNotes",
            "carries 2 Gatehouse notes, expected one; put each plugin into a library of its own"
        ),
        (
            "library/note", "NoNote",
            "carries no Gatehouse note, so it is not a plugin; a plugin target uses the EmbedManifest build plugin"
        ),
        (
            "library/sdk", "NoSDK",
            "does not link libGatehouseSDK.so; depend on the product GatehouseSDK of the SDK package"
        ),
        (
            "library/entry", "DataEntry",
            "its entry gatehouse_plugin_v1_DataEntry is not a function that others can call; build it with this host's SDK"
        ),
        (
            "library/entry", "HiddenEntry",
            "does not export its entry gatehouse_plugin_v1_HiddenEntry; do not strip or hide the symbols of a plugin"
        ),
        (
            "library/run-path", "RelativeRunPath",
            "its run path has \"libraries\", relative to wherever the host is started; link the plugin without it"
        ),
        (
            "library/stack", "ExecutableStack",
            "the stack: asks for memory that may be both written and run; link the plugin with -z noexecstack"
        ),
        (
            "library/relocations", "TextRelocations",
            "the relocations: change the code itself; compile everything in the plugin with -fPIC"
        ),
        (
            "library/symbols", "UniqueSymbol",
            "the dynamic symbol table: has shared_thing as one for the whole process (STB_GNU_UNIQUE), which another library may already be; compile everything in the library with -fno-gnu-unique"
        ),
    ])
    func `a fixture fails the check that it was made for`(check: String, fixture: String, sentence: String)
        throws
    {
        #expect(try diagnostic(check, in: fixture) == .fail(sentence))
    }

    @Test func `what is no library fails, and what needs one is skipped`() throws {
        let bytes = Array("no library".utf8)
        #expect(
            try diagnostic("library/format", in: bytes)
                == .fail(
                    "expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux"
                ))
        #expect(try diagnostic("library/visibility", in: bytes) == .skip("it is no library"))
        #expect(try diagnostic("library/lines", in: bytes) == .skip("it is no library"))
        #expect(try diagnostic("manifest/summary", in: bytes) == .skip("it has no note that can be read"))
    }

    @Test func `a file that everybody may write to fails, one of a group is warned about`() throws {
        let bytes = try FixtureLibrary("SilentEntry").bytes
        let path = folder("plugin.so")
        #expect(
            try diagnostic("library/trust", in: bytes, mode: 0o606)
                == .fail(
                    "run would refuse it: everybody may write to it (mode 606); take that away with chmod o-w"
                ))
        #expect(
            try diagnostic("library/trust", in: bytes, mode: 0o660).outcome == .warn, "\(path)")
    }

    @Test func `another identity fails, field by field`() throws {
        let diagnostic = try diagnostic("library/identity", in: "SilentEntry") {
            try $0.changeNote(#""abi":1"#, to: #""abi":9"#)
        }
        #expect(
            diagnostic == .fail("ABI number: expected 1, found 9; rebuild the plugin with this host's SDK"))
    }

    @Test func `a library that is nowhere fails`() throws {
        let diagnostic = try diagnostic("library/needs", in: "SilentEntry") {
            try $0.replace("libc.so.6", with: "libq.so.6")
        }
        #expect(
            diagnostic
                == .fail(
                    "needs libq.so.6, which is neither part of this host nor where the system's loader looks; install it, or link it statically"
                ))
    }

    @Test func `code that may be written fails`() throws {
        let diagnostic = try diagnostic("library/memory", in: "SilentEntry") { library in
            let header = try library.programHeader(1)
            library.write(UInt32(7), at: header + 4)
        }
        #expect(
            diagnostic
                == .fail(
                    "a loaded segment: memory at 0x0 may be both written and run; link the plugin without -z execstack, -N or a script that joins code and data"
                ))
    }

    @Test func `exported C names are warned about`() throws {
        #expect(
            try diagnostic("library/visibility", at: BuiltProducts.library("RestlessPlugin"))
                == .warn(
                    "expected no exported C names, found restless_do; compile C targets with -fvisibility=hidden"
                ))
    }

    @Test(.enabled(if: Workshop.compiler != nil))
    func `exported names that the host has already fail`() throws {
        let source = """
            #include "gatehouse_fixture.h"
            GATEHOUSE_FIXTURE_NOTE(note_of_the_fixture, "gatehouse_plugin_v1_Needy");
            void *gatehouse_plugin_v1_Needy(const void *host) { return 0; }
            int getpid(void) { return 1; }
            """
        #expect(try Workshop.build("plugin.so", of: source, in: folder, Workshop.sdk) == nil)
        let library = try FixtureLibrary(reading: folder("plugin.so"), module: "Needy")
        #expect(
            try diagnostic("library/visibility", in: library.bytes)
                == .fail(
                    "expected names of its own, found getpid, which the host has already and which it would call in place of its own; give it hidden visibility or another name"
                ))
    }

    @Test func `a library without lines is warned about`() throws {
        let diagnostic = try diagnostic("library/lines", in: "SilentEntry") {
            try $0.replace(".debug_line", with: ".xebug_line")
        }
        #expect(
            diagnostic
                == .warn(
                    "expected a section .debug_line, found none; do not strip the plugin, or keep what was stripped beside it"
                ))
    }

    // MARK: - The manifest

    /// What a check finds in a note that was changed.
    private func diagnostic(_ check: String, replacing old: String, by new: String) throws -> CheckDiagnostic
    {
        try diagnostic(check, in: "SilentEntry") { try $0.changeNote(old, to: new) }
    }

    @Test func `a summary that lists cannot show is warned about`() throws {
        let long = String(repeating: "word ", count: 20) + "end"
        #expect(
            try diagnostic("manifest/summary", replacing: "Is broken", by: long)
                == .warn("expected a summary of at most 100 characters, found 103; shorten it"))
        #expect(
            try diagnostic("manifest/summary", replacing: "Is broken", by: "Is broken.")
                == .warn("expected a summary without a period, found one; it stands in lists, leave it out"))
    }

    @Test func `a plugin that neither hears nor emits is warned about`() throws {
        #expect(
            try diagnostic("manifest/actions", in: "SilentEntry")
                == .warn(
                    "expected names in \"consumes\" or \"emits\", found none; nothing would reach the plugin")
        )
    }

    @Test func `settings without words, defaults, or an end to their keys are warned about`() throws {
        let settings =
            #""settings":{"type":"object","properties":{"a":{"type":"string"},"b":{"description":"B.","default":1}}},"permissions""#
        #expect(
            try diagnostic("manifest/settings", replacing: #""permissions""#, by: settings)
                == .warn(forEach: [
                    "expected \"description\" for each setting, found none for \"a\"; operators read it",
                    "expected \"default\" for each setting, found none for \"a\"; operators read it",
                ]))
        #expect(
            try diagnostic("manifest/unknown-settings", replacing: #""permissions""#, by: settings)
                == .warn(
                    "expected \"additionalProperties\": false in the schema of the settings, found nothing; without it a mistyped key is ignored"
                ))
        #expect(
            try diagnostic("manifest/settings", in: "SilentEntry") == .skip("it describes no settings"))
    }

    @Test func `Codable in the place of generated code is warned about`() throws {
        let coding = #""manifest":"#
        #expect(
            try diagnostic(
                "manifest/coding", replacing: coding,
                by: #""coding":{"generated":false,"reason":"it has an attribute"},"manifest":"#)
                == .warn(
                    "expected code that the build generates, found Codable, because it has an attribute; each action costs up to thirty times as much"
                ))
    }

    @Test func `a note without a word about state is warned about`() throws {
        #expect(
            try diagnostic("manifest/state", in: "SilentEntry")
                == .warn("expected a word about state, found none; rebuild the plugin with this host's SDK"))
    }

    // MARK: - Every one of them

    @Test func `every reason of a verdict belongs to one check`() throws {
        let reasons: [Refusal] = [
            .file(.missing(path: "a")), .elf(.is32Bit), .notALibrary(found: .executable),
            .machine(expected: .x86_64, found: .aarch64), .noNote, .severalNotes(2),
            .identity(field: .abi, expected: "1", found: "2"), .doesNotNeedSDK, .secondSDK(symbol: "a"),
            .entryMissing("a"), .entryNotAFunction("a"), .missingSDKSymbols(["a"]),
            .need(.takenName("a", of: nil, by: nil)), .digest(of: nil, expected: "a", found: "b"),
            .foreignNeedsSDK, .tooMany(limit: 1),
        ]
        for reason in reasons {
            #expect(ValidationCheck.library.count { $0.name == reason.check } == 1, "\(reason)")
        }
    }
}
