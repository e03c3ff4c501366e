// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseValue
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PluginNoteTests {
    /// A note with a value in every field.
    private static func note() throws -> PluginNote {
        PluginNote(
            manifest: PluginManifest(
                id: "greeter", version: try #require(SemanticVersion("1.0.0")), summary: "Grüßt 👋",
                principal: "Greeter", consumes: ["hello"], emits: ["greeted"], settings: ["type": "object"],
                permissions: ["network"]),
            contract: .sdk(
                BuildIdentity(
                    abi: 1, sdkVersion: "0.1.0", sdkFingerprint: String(repeating: "0a", count: 32),
                    sdkSources: String(repeating: "0b", count: 32), seesBodies: false,
                    compiler: "21.0.0 (https://example.org 1234)", triple: "x86_64-unknown-linux-gnu",
                    configuration: .release, toolsVersion: "6.3")),
            entry: EntryName(module: "GreeterPlugin"))
    }

    /// The text of the note with some members replaced or (nil) removed.
    private func text(with changes: [String: Value?]) throws -> [UInt8] {
        var value = try Self.note().value
        for (key, change) in changes {
            let pointer = try JSONPointer(key)
            let isSet = value.set(change, at: pointer)
            #expect(isSet)
        }
        return Array(value.json().utf8)
    }

    /// The lines of the error that a text gives, without their places; none if it is right.
    private func problems(in text: [UInt8]) -> [String] {
        do {
            _ = try PluginNote(parsing: text)
            return []
        } catch {
            return error.problems.map(\.sentence)
        }
    }

    @Test func `a note is read as it was written`() throws {
        let note = try Self.note()
        #expect(try PluginNote(parsing: note.bytes) == note)
        #expect(note.bytes.count % 8 == 0)
        #expect(
            String(decoding: note.bytes, as: UTF8.self).hasPrefix(
                #"{"format":1,"abi":1,"entry":"gatehouse_plugin_v1_GreeterPlugin","sdk":"0.1.0","sdkFingerprint":"0a0a"#
            ))
    }

    @Test func `unknown fields are tolerated`() throws {
        #expect(problems(in: try text(with: ["/more": 1, "/manifest/author": "me"])) == [])
    }

    @Test func `a note need not tell the tools version`() throws {
        let text = try text(with: ["/toolsVersion": nil])
        #expect(try PluginNote(parsing: text).identity?.toolsVersion == "")
    }

    @Test
    func `a note of an older SDK tells nothing of its sources, so that its plugin may contain all of them`()
        throws
    {
        let identity = try PluginNote(parsing: text(with: ["/sdkSources": nil, "/sdkBodies": nil])).identity
        #expect(identity?.sdkSources == "")
        #expect(identity?.seesBodies == true)
        #expect(
            problems(in: try text(with: ["/sdkSources": "0B", "/sdkBodies": 1])) == [
                "\"sdkSources\": expected 64 hexadecimal digits, found \"0B\"; rebuild the plugin with this host's SDK",
                "\"sdkBodies\": expected true or false, found an integer; rebuild the plugin with this host's SDK",
            ])
    }

    @Test(arguments: [nil, .generated, .codable(reason: "Big.Action holds #if")] as [PluginNote.Coding?])
    func `a note need not tell how actions are coded`(coding: PluginNote.Coding?) throws {
        let note = try Self.note()
        let told = PluginNote(
            manifest: note.manifest, contract: note.contract, entry: note.entry, coding: coding)
        #expect(try PluginNote(parsing: told.bytes) == told)
        #expect(told.value["coding"] != nil || coding == nil)
    }

    @Test(arguments: [nil, true, false] as [Bool?])
    func `a note need not tell whether the plugin keeps state`(keepsState: Bool?) throws {
        let note = try Self.note()
        let told = PluginNote(
            manifest: note.manifest, contract: note.contract, entry: note.entry, keepsState: keepsState)
        #expect(try PluginNote(parsing: told.bytes).keepsState == keepsState)
        #expect(
            problems(in: try text(with: ["/keepsState": "yes"])) == [
                "\"keepsState\": expected true or false, found \"yes\"; rebuild the plugin with this host's SDK"
            ])
    }

    @Test(
        arguments: [true, [:], ["generated": 1], ["generated": false], ["generated": false, "reason": 1]]
            as [Value])
    func `a coding that says nothing is a problem`(coding: Value) throws {
        #expect(
            problems(in: try text(with: ["/coding": coding])) == [
                "\"coding\": expected \"generated\" and, if that is false, \"reason\", "
                    + "found \(coding.kindName); rebuild the plugin with this host's SDK"
            ])
    }

    @Test(arguments: [
        ("/abi", "abi", "expected a number, found none; add \"abi\": 1"),
        ("/sdk", "sdk", "expected a version, found none; add \"sdk\": \"0.6.0\""),
        (
            "/sdkFingerprint", "sdkFingerprint",
            "expected 64 hexadecimal digits, found none; add \"sdkFingerprint\": \"…\""
        ),
        ("/compiler", "compiler", "expected the identity of a compiler, found none; add \"compiler\": \"…\""),
        (
            "/triple", "triple",
            "expected a target triple, found none; add \"triple\": \"x86_64-unknown-linux-gnu\""
        ),
        (
            "/configuration", "configuration",
            "expected \"debug\" or \"release\", found none; add \"configuration\": \"release\""
        ),
        (
            "/entry", "entry",
            "expected a symbol starting with gatehouse_plugin_v1_, found none; "
                + "add \"entry\": \"gatehouse_plugin_v1_MyPlugin\""
        ),
        ("/format", "format", "expected the number 1, found none; add \"format\": 1"),
        ("/manifest", "manifest", "expected an object, found none; add \"manifest\": { … }"),
        (
            "/manifest/summary", "manifest.summary",
            "expected one line of text, found none; add \"summary\": \"what the plugin does\""
        ),
    ])
    func `a missing field is named`(pointer: String, key: String, message: String) throws {
        #expect(problems(in: try text(with: [pointer: nil])) == ["\"\(key)\": \(message)"])
    }

    @Test(
        arguments: [
            ("/abi", -1, "\"abi\": expected a number, found an integer; write \"abi\": 1"),
            ("/abi", "1", "\"abi\": expected a number, found \"1\"; write \"abi\": 1"),
            ("/sdk", 1, "\"sdk\": expected a version, found an integer; write \"sdk\": \"0.6.0\""),
            (
                "/sdkFingerprint", "0A",
                "\"sdkFingerprint\": expected 64 hexadecimal digits, found \"0A\"; rebuild the plugin with this host's SDK"
            ),
            (
                "/configuration", "fast",
                "\"configuration\": expected \"debug\" or \"release\", found \"fast\"; rebuild the plugin with this host's SDK"
            ),
            (
                "/entry", "main",
                "\"entry\": expected a symbol starting with gatehouse_plugin_v1_, found \"main\"; "
                    + "rebuild the plugin with this host's SDK"
            ),
            (
                "/toolsVersion", 6,
                "\"toolsVersion\": expected a version, found an integer; write \"toolsVersion\": \"6.3\""
            ),
            (
                "/manifest", [],
                "\"manifest\": expected an object, found an array; write the manifest between { and }"
            ),
        ] as [(String, Value, String)])
    func `a field of the wrong kind is named`(pointer: String, value: Value, message: String) throws {
        #expect(problems(in: try text(with: [pointer: value])) == [message])
    }

    @Test func `all problems come at once`() throws {
        let text = try text(with: ["/abi": "x", "/triple": nil, "/manifest/id": "X", "/manifest/emits": 1])
        let problems = problems(in: text)
        #expect(problems.count == 4)
        for key in ["abi", "triple", "manifest.id", "manifest.emits"] {
            #expect(problems.contains { $0.hasPrefix("\"\(key)\": ") }, "\(key)")
        }
    }

    @Test func `another format hides all other problems`() throws {
        #expect(
            problems(in: try text(with: ["/format": 2, "/abi": "x"]))
                == ["\"format\": expected 1, found 2; rebuild the plugin with this host's SDK"])
    }

    @Test func `a note beyond the limit is not read`() {
        #expect(
            problems(in: [UInt8](repeating: 0x20, count: 32_769))
                == ["expected at most 32768 bytes, found 32769; rebuild the plugin with a shorter manifest"])
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `two thousand bit flips never trap`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = try Self.note().bytes
        var refused = 0
        for _ in 0..<2_000 {
            var bytes = original
            let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
            bytes[bit / 8] ^= 1 << (bit % 8)
            if !problems(in: bytes).isEmpty { refused += 1 }
        }
        #expect(refused > 500, "seed \(seed)")
    }
}
