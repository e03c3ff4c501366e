// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct VerdictTests {
    private let host = SDKIdentity.current

    @Test func `a library that was built with this host is accepted`() throws {
        let verdict = try CounterLibrary().verdict()
        #expect(verdict.refusals == [])
        #expect(verdict.isAccepted)
        #expect(verdict.note?.manifest.id == "counter")
        #expect(verdict.note?.entry.symbol == "gatehouse_plugin_v1_CounterPlugin")
    }

    @Test func `another ABI number is refused with both numbers`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote("\"abi\":\(host.abi)", with: "\"abi\":9")
        #expect(
            library.refusals == [
                "ABI number: expected \(host.abi), found 9; rebuild the plugin with this host's SDK"
            ])
        #expect(library.verdict().note?.manifest.id == "counter")
    }

    @Test func `another SDK fingerprint is refused with both`() throws {
        var library = try CounterLibrary()
        let other = String(repeating: "0", count: 64)
        try library.replaceInNote(host.sdkFingerprint, with: other)
        #expect(
            library.refusals == [
                "SDK fingerprint: expected \(host.sdkFingerprint), found \(other); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\""
            ])
    }

    @Test func `other sources with the same fingerprint are accepted`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote(host.sdkSources, with: String(repeating: "0", count: 64))
        try library.replaceNote { $0.replacing(#""sdkBodies":true"#, with: #""sdkBodies":false"#) }
        #expect(library.refusals == [])
        #expect(library.verdict().isAccepted)
    }

    @Test func `other sources are refused for a plugin that may contain all of them`() throws {
        var library = try CounterLibrary()
        let other = String(repeating: "0", count: 64)
        try library.replaceInNote(host.sdkSources, with: other)
        try library.replaceNote { $0.replacing(#""sdkBodies":false"#, with: #""sdkBodies":true"#) }
        #expect(
            library.refusals == [
                "SDK sources: expected \(host.sdkSources), found \(other); rebuild the plugin with this host's SDK, and with the variables of gatehouse sdk --environment, so that it need not be rebuilt again for a host with the same fingerprint"
            ])
    }

    @Test func `a plugin that may contain all sources and does not tell them is refused`() throws {
        var library = try CounterLibrary()
        let told = try library.noteText("sdkSources")
        try library.replaceNote {
            $0.replacing("\"sdkSources\":\"\(told)\",", with: "").replacing(#""sdkBodies":false,"#, with: "")
                .replacing(#""sdkBodies":true,"#, with: "")
        }
        #expect(
            library.refusals.map { $0.prefix { $0 != ";" } } == [
                "SDK sources: expected \(host.sdkSources), found none"
            ])
    }

    @Test func `another fingerprint says it all`() throws {
        var library = try CounterLibrary()
        let other = String(repeating: "0", count: 64)
        try library.replaceInNote(host.sdkFingerprint, with: other)
        try library.replaceInNote(host.sdkSources, with: other)
        try library.replaceNote { $0.replacing(#""sdkBodies":false"#, with: #""sdkBodies":true"#) }
        #expect(
            library.refusals == [
                "SDK fingerprint: expected \(host.sdkFingerprint), found \(other); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\""
            ])
    }

    @Test func `names that this host's SDK lacks are looked for wherever the sources differ`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote(host.sdkSources, with: String(repeating: "0", count: 64))
        try library.replaceNote { $0.replacing(#""sdkBodies":true"#, with: #""sdkBodies":false"#) }
        let symbol = "$s12GatehouseSDK6PluginMp"
        #expect(
            try library.replaceEverywhere("\0\(symbol)\0", with: "\0$s12GatehouseSDK6PlagueMp\0") > 0)
        #expect(
            library.refusals == [
                "uses what this host's SDK does not have: protocol descriptor for GatehouseSDK.Plague; rebuild the plugin with this host's SDK"
            ])
    }

    @Test func `another compiler is refused with both`() throws {
        var library = try CounterLibrary()
        let written = try library.noteText("compiler")
        let other = String(repeating: "x", count: written.utf8.count)
        try library.replaceInNote(written, with: other)
        #expect(
            library.refusals == [
                "compiler: expected \(host.compiler), found \(other); rebuild the plugin with the compiler that built this host"
            ])
    }

    @Test func `another target is refused with both`() throws {
        var library = try CounterLibrary()
        let other = host.triple.replacing("linux", with: "lunix")
        try library.replaceInNote(host.triple, with: other)
        #expect(
            library.refusals == [
                "target: expected \(host.triple), found \(other); rebuild the plugin for this machine"
            ])
    }

    @Test func `another build configuration is refused with both`() throws {
        var library = try CounterLibrary()
        let own = host.configuration.rawValue
        let other = own == "debug" ? "release" : "debug"
        // The longer word takes a space from the end of the note, the shorter one gives it a space.
        let text = "\"configuration\":\"\(own)\""
        let wanted = "\"configuration\":\"\(other)\""
        try library.replaceNote { note in note.replacing(text, with: wanted) }
        #expect(
            library.refusals == [
                "build configuration: expected \(own), found \(other); build host and plugin both with -c release, or both for debugging"
            ])
    }

    @Test func `all differences are told at once`() throws {
        var library = try CounterLibrary()
        let other = String(repeating: "f", count: 64)
        try library.replaceInNote("\"abi\":\(host.abi)", with: "\"abi\":7")
        try library.replaceInNote(host.sdkFingerprint, with: other)
        #expect(
            library.refusals == [
                "ABI number: expected \(host.abi), found 7; rebuild the plugin with this host's SDK",
                "SDK fingerprint: expected \(host.sdkFingerprint), found \(other); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\"",
            ])
    }

    @Test func `a library without a note is no plugin`() throws {
        var library = try CounterLibrary()
        #expect(try library.replaceEverywhere("gatehouse\0", with: "gatehovse\0") > 0)
        #expect(
            library.refusals == [
                "carries no Gatehouse note, so it is not a plugin; a plugin target uses the EmbedManifest build plugin"
            ])
        #expect(library.verdict().isAccepted == false)
    }

    @Test func `two notes in one library are refused`() {
        var library = ELFBuilder.complete
        library.notes += library.notes
        let verdict = unsafe library.bytes().withUnsafeBytes { unsafe Verdict(judging: $0) }
        #expect(
            verdict.refusals.map(\.description) == [
                "carries 2 Gatehouse notes, expected one; put each plugin into a library of its own"
            ])
    }

    @Test func `a note that is not JSON is refused with its place`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote("{\"format\":1,", with: "{\"format\":1;")
        let refusal = try #require(library.refusals.first)
        #expect(library.refusals.count == 1)
        #expect(refusal.hasPrefix("its note cannot be read: 1:12: "))
    }

    @Test func `a note without an id is refused with the key`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote("\"id\":\"counter\"", with: "\"ix\":\"counter\"")
        let refusal = try #require(library.refusals.first)
        #expect(library.refusals.count == 1)
        #expect(refusal.hasPrefix("its note cannot be read: "))
        #expect(refusal.contains("\"manifest.id\""))
    }

    @Test func `the pinned digest must be the found one`() throws {
        let library = try CounterLibrary()
        let found = SHA256.digest(library.bytes)
        let pin = String(repeating: "a", count: 64)
        #expect(library.verdict().pinned(to: .library(found.hex), "libA.so", found: found).isAccepted)
        #expect(library.verdict().pinned(to: nil, "libA.so", found: found).isAccepted)
        #expect(
            library.verdict().pinned(to: .library(pin), "libA.so", found: found).refusals.map(\.description)
                == [
                    "SHA-256: plugins.json pins \(pin), found \(found.hex); if you trust these bytes, pin the found one"
                ])
    }

    @Test(
        arguments: [
            (Array("#!/bin/sh\nexit 0\n".utf8), "23 21 2f 62"), ([], "an empty file"), ([0x7f], "7f"),
        ] as [([UInt8], String)])
    func `something else than ELF is refused with its first bytes`(bytes: [UInt8], found: String) throws {
        var library = try CounterLibrary()
        library.bytes = bytes
        #expect(
            library.refusals == [
                "expected an ELF file starting with 7f 45 4c 46, found \(found); name a shared library built for Linux"
            ])
    }

    @Test(arguments: [5, 63, 64, 100, 500, 4_096])
    func `a library that was cut off is refused`(count: Int) throws {
        var library = try CounterLibrary()
        library.bytes = Array(library.bytes.prefix(count))
        let refusal = try #require(library.refusals.first)
        #expect(refusal.hasSuffix("the file is cut off or damaged, build or copy it again"))
        #expect(library.verdict().isAccepted == false)
    }

    @Test func `a library that lacks its last byte is refused`() throws {
        var library = try CounterLibrary()
        library.bytes.removeLast()
        let refusal = try #require(library.refusals.first)
        #expect(library.refusals.count == 1)
        #expect(refusal.hasPrefix("the section header table needs "))
        #expect(refusal.hasSuffix("; the file is cut off or damaged, build or copy it again"))
    }

    @Test func `a library that lacks the last byte of what would be mapped is refused`() throws {
        var library = try CounterLibrary()
        let loaded = try ELFImage(reading: library.bytes).segments.filter { $0.kind == .load }
        let last = try #require(loaded.max { $0.offset < $1.offset })
        // Without its sections, which nobody needs to load it, the file ends with what is mapped.
        library.bytes.replaceSubrange(60..<62, with: [0, 0])
        library.bytes = Array(library.bytes.prefix(Int(last.offset + last.fileSize)))
        #expect(library.verdict().isAccepted)
        library.bytes.removeLast()
        #expect(
            library.refusals == [
                "a loaded segment needs \(last.fileSize) bytes at offset \(last.offset), found \(last.fileSize - 1); the file is cut off or damaged, build or copy it again"
            ])
    }

    @Test func `a library for another machine is refused with both`() throws {
        var library = try CounterLibrary()
        let own = try #require(ELFMachine.current)
        let other = own == .aarch64 ? ELFMachine.x86_64 : .aarch64
        library.bytes[18] = UInt8(truncatingIfNeeded: other.rawValue)
        library.bytes[19] = UInt8(truncatingIfNeeded: other.rawValue >> 8)
        #expect(
            library.refusals == [
                "built for \(other), this host runs on \(own); rebuild the plugin for this machine"
            ])
        #expect(library.verdict(machine: nil).refusals == [])
    }

    @Test func `a program is no library`() throws {
        var library = try CounterLibrary()
        library.bytes[16] = 2
        #expect(
            library.refusals == [
                "expected a shared library, found an executable; build a dynamic library product"
            ])
    }

    @Test(arguments: [
        "$s12GatehouseSDK13PluginExportsCN", "$s9Gatehouse5StoreCMn", "$s14GatehouseValue0B0OMa",
        "$s17GatehouseManifest06PluginB0VMn", "$s4Suas5StoreCMa",
    ])
    func `a copy of any module of the SDK inside the plugin is refused with its symbol`(symbol: String) throws
    {
        // The SDK's own library is the plainest thing that defines what only the SDK may define.
        var sdk = try CounterLibrary()
        let note = try sdk.noteContent
        var builder = ELFBuilder.complete
        builder.notes = [ELFBuilder.Note(owner: "gatehouse", type: 1, content: note)]
        builder.symbols = [
            ELFBuilder.Symbol(name: "gatehouse_plugin_v1_CounterPlugin", kind: 2),
            ELFBuilder.Symbol(name: symbol),
        ]
        sdk.bytes = builder.bytes()
        #expect(
            sdk.refusals == [
                "carries its own copy of the SDK (it defines \(symbol)); link the SDK as the dynamic library libGatehouseSDK.so"
            ])
        let real = try FileSystem.read(BuiltProducts.folder + "/libGatehouseSDK.so")
        #expect(try ELFImage(reading: real).definedNames.contains(symbol))
    }

    @Test func `a library that does not export its entry is refused with the name`() throws {
        var library = try CounterLibrary()
        try library.replaceInNote("v1_CounterPlugin", with: "v1_CounterBlugin")
        #expect(
            library.refusals == [
                "does not export its entry gatehouse_plugin_v1_CounterBlugin; do not strip or hide the symbols of a plugin"
            ])
    }

    @Test func `a library that does not need the SDK is refused`() throws {
        var library = try CounterLibrary()
        #expect(try library.replaceEverywhere("libGatehouseSDK.so", with: "libGatehouseSDX.so") > 0)
        #expect(
            library.refusals == [
                "does not link libGatehouseSDK.so; depend on the product GatehouseSDK of the SDK package",
                "needs libGatehouseSDX.so, which is neither part of this host nor where the system's loader looks; install it, or link it statically",
            ])
    }

    @Test func `no edit of the note makes the verdict trap`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let library = try CounterLibrary()
        let range = try library.noteRange
        for _ in 0..<60 {
            var edited = library
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                edited.bytes[Int.random(in: range, using: &generator)] = UInt8.random(
                    in: .min ... .max, using: &generator)
            }
            let verdict = edited.verdict()
            #expect(verdict.isAccepted == (verdict.refusals.isEmpty && verdict.note != nil), "seed \(seed)")
        }
    }
}
