// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

/// `gatehouse inspect` as people and programs meet it.
@Suite(.timeLimit(.minutes(10))) struct InspectTests {
    private func inspect(_ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(arguments: ["inspect"] + arguments, in: BuiltProducts.folder)
    }

    @Test func `a plugin of this host is described in aligned lines and ends with 0`() throws {
        let outcome = try inspect("libCounterPlugin.so")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0] == "libCounterPlugin.so")
        #expect(
            Array(lines[4...15]) == [
                "  plugin       counter 1.0.0",
                "  summary      Counts actions up and down",
                "  principal    Counter",
                "  consumes     increment, decrement, reset",
                "  emits        nothing",
                "  settings     start, step",
                "  permissions  nothing",
                "  worker       yes",
                "  scope        partition",
                "  entry        gatehouse_plugin_v1_CounterPlugin",
                "  sdk          0.6.0",
                "  coding       generated from the actions",
            ])
        #expect(Array(lines[16...18]) == ["", "compared with this host", "  ABI number           same: 1"])
        #expect(
            lines.contains { $0.hasPrefix("  libGatehouseSDK.so ") && $0.hasSuffix("  part of this host") })
        #expect(outcome.output.hasSuffix("\n\nverdict: accepted\n"))
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    @Test(
        arguments: [
            (
                "FilePlugin", true, ["files"], "it changes files outside of its folder for data",
                #"with an entry that says "grant": { "files": ["/srv/exports"] }, because it changes files outside of its folder for data"#
            ),
            (
                "HTTPClientPlugin", true, ["network"], "it uses the network",
                #"with an entry that says "grant": { "network": ["connect:api.example.com:443"] }, because it uses the network"#
            ),
            (
                "HTTPPlugin", false, [],
                "it brings actions as an input does, which only an instance in the host can",
                "no, it brings actions as an input does, which only an instance in the host can"
            ),
            (
                "LimitPlugin", false, [],
                "it decides about actions before anybody else hears them, and they cannot wait for another process",
                "no, it decides about actions before anybody else hears them, and they cannot wait for another process"
            ),
        ] as [(String, Bool, Value, String, String)])
    func `what a plugin asks for is told with what that means in a worker`(
        target: String, isPossible: Bool, grant: Value, reason: String, words: String
    ) throws {
        let text = try inspect("lib\(target).so").output
        let line = text.split(separator: "\n").first { $0.hasPrefix("  worker ") }
        #expect(line?.dropFirst("  worker ".count).drop { $0 == " " } == words[...], "\(text)")
        let value = try JSONText.parse(inspect("--json", "lib\(target).so").output)
        #expect(
            value["worker"] == [
                "possible": .bool(isPossible), "grant": grant, "reason": .string(reason), "version": .null,
            ])
    }

    @Test func `a library that is no plugin is described too and ends with 69`() throws {
        let outcome = try inspect("libNoNote.so")
        #expect(outcome.output.contains("\nneeded libraries\n"))
        #expect(
            outcome.output.hasSuffix(
                "\nverdict: refused\n  - carries no Gatehouse note, so it is not a plugin; a plugin target uses the EmbedManifest build plugin\n"
            ))
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 69)
    }

    @Test func `programs get one object with the same keys for every file`() throws {
        let folder = try TemporaryFolder()
        try folder.write("no library", to: "text.so")
        let keys = [
            "path", "bytes", "sha256", "kind", "machine", "soname", "note", "worker", "identity",
            "entryExported",
            "needed", "runPath", "missingSymbols", "warnings", "accepted", "refusals",
        ]
        for (file, code) in [("libCounterPlugin.so", 0), (folder("text.so"), 69)] as [(String, Int32)] {
            let outcome = try inspect("--json", file)
            #expect(outcome.output.split(separator: "\n").count == 1)
            // Keys of the outermost object stand in this order.
            var rest = outcome.output[...]
            for key in keys {
                let found = try #require(rest.firstRange(of: "\"\(key)\":"), "\(key) in \(file)")
                rest = rest[found.upperBound...]
            }
            #expect(outcome.exitCode == code)
        }
        #expect(
            try inspect("--json", folder("text.so")).output
                == #"{"path":"\#(folder("text.so"))","bytes":10,"sha256":"a3bba07ee4d772d46d0f99f83549f754e8d42a91d4e258970547e29b0eb35101","kind":null,"machine":null,"soname":null,"note":null,"worker":null,"identity":[],"entryExported":null,"needed":[],"runPath":[],"missingSymbols":[],"warnings":[],"accepted":false,"refusals":["expected an ELF file starting with 7f 45 4c 46, found 6e 6f 20 6c; name a shared library built for Linux"]}"#
                + "\n")
    }

    @Test func `a file that is not there ends with 64`() throws {
        let outcome = try inspect("none.so")
        #expect(outcome.output == "")
        #expect(
            outcome.errors == "gatehouse: none.so: there is no such file or folder; name a library file\n")
        #expect(outcome.exitCode == 64)
    }

    @Test func `a folder ends with 64`() throws {
        let outcome = try inspect(".")
        #expect(outcome.errors == "gatehouse: .: not a plain file; name a library file\n")
        #expect(outcome.exitCode == 64)
    }
}
