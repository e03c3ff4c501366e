// SPDX-License-Identifier: Apache-2.0

import GatehouseLibraryTesting
import GatehouseManifest
import GatehouseSDK

@testable import GatehouseLibrary

extension Defect {
    /// Notes that say nothing, too much or nonsense.
    static let notes = [
        Defect(
            "no note", in: "NoNote",
            reason:
                "carries no Gatehouse note, so it is not a plugin; a plugin target uses the EmbedManifest build plugin"
        ),
        Defect(
            "two notes", in: "TwoNotes",
            reason: "carries 2 Gatehouse notes, expected one; put each plugin into a library of its own"),
        Defect("a note that is not JSON") { library in
            try library.changeNote("{\"format\"", to: "{format")
            return ["its note cannot be read: 1:2: expected a member name in double quotes, found 'f'"]
        },
        Defect("a note of a later format") { library in
            try library.changeNote("\"format\":1", to: "\"format\":2")
            return [
                "its note cannot be read: 1:11: \"format\": expected 1, found 2; rebuild the plugin with this host's SDK"
            ]
        },
        Defect("a note without an id") { library in
            try library.changeNote("\"id\":\"broken\",", to: "")
            let column = try library.column(of: "{\"version\"")
            return [
                "its note cannot be read: 1:\(column): \"manifest.id\": expected lower-case letters, digits and hyphens, starting with a letter, found none; add \"id\": \"my-plugin\""
            ]
        },
    ]

    /// Identities that are not this host's.
    static let identities = [
        Defect("another ABI number") { library in
            let own = SDKIdentity.current.abi
            try library.changeNote("\"abi\":\(own)", to: "\"abi\":9")
            return ["ABI number: expected \(own), found 9; rebuild the plugin with this host's SDK"]
        },
        Defect("another ABI number in a library that ends the process when loaded", in: "RunsOnLoad") {
            library in
            let own = SDKIdentity.current.abi
            try library.writeNote(entry: EntryName(module: "RunsOnLoad")) {
                $0.replacing("\"abi\":\(own)", with: "\"abi\":9")
            }
            return ["ABI number: expected \(own), found 9; rebuild the plugin with this host's SDK"]
        },
        Defect("another SDK fingerprint") { library in
            let own = SDKIdentity.current.sdkFingerprint
            let other = String(repeating: "0", count: 64)
            try library.changeNote(own, to: other)
            return [
                "SDK fingerprint: expected \(own), found \(other); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\""
            ]
        },
        Defect("another compiler") { library in
            let own = SDKIdentity.current.compiler
            try library.changeNote("\"compiler\":\"\(own)\"", to: "\"compiler\":\"7.0\"")
            return [
                "compiler: expected \(own), found 7.0; rebuild the plugin with the compiler that built this host"
            ]
        },
        Defect("another target") { library in
            let own = SDKIdentity.current.triple
            try library.changeNote("\"triple\":\"\(own)\"", to: "\"triple\":\"riscv64-unknown-linux-gnu\"")
            return [
                "target: expected \(own), found riscv64-unknown-linux-gnu; rebuild the plugin for this machine"
            ]
        },
        Defect("another build configuration") { library in
            let own = SDKIdentity.current.configuration.rawValue
            let other = own == "debug" ? "release" : "debug"
            try library.changeNote("\"configuration\":\"\(own)\"", to: "\"configuration\":\"\(other)\"")
            return [
                "build configuration: expected \(own), found \(other); build host and plugin both with -c release, or both for debugging"
            ]
        },
        Defect("two differences") { library in
            let own = SDKIdentity.current
            try library.writeNote(entry: EntryName(module: "SilentEntry")) {
                $0.replacing("\"abi\":\(own.abi)", with: "\"abi\":3")
                    .replacing(own.sdkFingerprint, with: String(repeating: "f", count: 64))
            }
            return [
                "ABI number: expected \(own.abi), found 3; rebuild the plugin with this host's SDK",
                "SDK fingerprint: expected \(own.sdkFingerprint), found \(String(repeating: "f", count: 64)); rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\"",
            ]
        },
    ]
}

extension FixtureLibrary {
    /// The column of a text in the note, from 1.
    fileprivate func column(of text: String) throws -> Int {
        let note = String(decoding: bytes[noteRange], as: UTF8.self)
        let before = note.split(separator: text, maxSplits: 1, omittingEmptySubsequences: false)[0]
        return before.count + 1
    }
}
