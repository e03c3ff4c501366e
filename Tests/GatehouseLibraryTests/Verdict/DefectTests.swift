// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseManifest
import Testing

@testable import GatehouseLibrary

/// Broken libraries, one defect each.
@Suite(.timeLimit(.minutes(10))) struct DefectTests {
    @Test func `the library that most of them start from is sound`() throws {
        let verdict = try FixtureLibrary("SilentEntry").verdict
        #expect(verdict.refusals.map(\.description) == [])
        #expect(verdict.warnings == [])
        #expect(verdict.isAccepted)
    }

    @Test func `there are many and none twice`() {
        #expect(Defect.all.count >= 35)
        #expect(Set(Defect.all.map(\.name)).count == Defect.all.count)
    }

    @Test(arguments: Defect.all)
    func `a defect is refused with its reasons, without running code`(defect: Defect) throws {
        let (library, reasons) = try defect.library()
        #expect(library.verdict.refusals.map(\.description) == reasons)
        #expect(!library.verdict.isAccepted)
    }

    @Test func `keys of a note that nobody knows are no defect`() throws {
        var library = try FixtureLibrary("SilentEntry")
        try library.changeNote("{\"format\":1,", to: "{\"format\":1,\"colour\":{\"of\":[1,2]},")
        #expect(library.verdict.isAccepted)
    }
}

/// The same defects as an operator meets them: the built program, the exit code, the words.
@Suite(.timeLimit(.minutes(10))) struct DefectEndToEndTests {
    /// What the program says about a refused library.
    private static func message(_ reasons: [String], prefix: String) -> String {
        let subject = prefix + "./plugins/libBroken.so: refused for the instance broken:"
        guard reasons.count > 1 else { return subject + " " + reasons.joined() + "\n" }
        return subject + "\n" + reasons.map { "  - \($0)\n" }.joined()
    }

    /// What the loader or the entry finds, which no verdict can.
    private static let late = [
        Defect(
            "a silent entry", in: "SilentEntry",
            reason: "its entry refused: it returned nothing and gave no reason"),
        Defect(
            "a refusing entry", in: "RefusingEntryPlugin",
            reason: "its entry refused: it never works on Fridays"),
        Defect(
            "a refusing entry of a foreign plugin", in: "ForeignRefusing",
            reason: "its entry refused: there is no moon tonight"),
        Defect(
            "an undeclared case", in: "UnknownCasePlugin",
            reason:
                "plugin.json declares \"helo\", which the plugin's Action does not have as a case; correct \"consumes\" and \"emits\""
        ),
        Defect("settings that the manifest describes otherwise", in: "MisdescribedPlugin") { _ in
            [
                #"plugin.json describes the setting "secnds", which the plugin's Settings does not have; correct "settings""#,
                #"the plugin's Settings has the settings "seconds", "label", which plugin.json does not describe; correct "settings""#,
            ]
        },
        Defect("a state that only the note has", in: "LoggerPlugin") { library in
            try library.replace(#""keepsState":false}"#, with: #""keepsState": true}"#)
            return [
                "its note says that it keeps state, but it keeps none; rebuild it with this host's SDK"
            ]
        },
        Defect("a name that nobody has", in: "ProbePlugin") { library in
            try library.replace("\0swift_retain\0", with: "\0swift_retail\0")
            return ["the loader refused it: libBroken.so: undefined symbol: swift_retail"]
        },
    ]

    @Test(arguments: Defect.all + late)
    func `a named library ends the run with 69; it is left out when it is optional or the run keeps going`(
        defect: Defect
    ) throws {
        let (library, reasons) = try defect.library()
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("plugins")
        try folder.copyLibrary("CounterPlugin", as: "plugins/libCounterPlugin.so")
        try folder.write(library.bytes, to: "plugins/libBroken.so")
        func run(_ members: String, _ options: String...) throws -> ChildProcess.Outcome {
            try folder.write(
                #"{ "plugins": [{ "id": "broken", "library": "libBroken.so"\#(members) }, { "id": "counter" }] }"#,
                to: "plugins.json")
            return try ChildProcess.run(
                arguments: ["run"] + options, input: Array(#"{"type":"counter/increment"}"#.utf8),
                in: folder.path)
        }
        let required = try run("")
        #expect(required.errors == Self.message(reasons, prefix: ""))
        #expect(required.output == "")
        #expect(required.exitCode == 69)

        let optional = try run(#", "optional": true"#)
        #expect(
            optional.errors
                == Self.message(reasons, prefix: "gatehouse: warning: ")
                + "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(optional.output == "{\n  \"counter\": {\n    \"count\": 1\n  }\n}\n")
        #expect(optional.exitCode == 0)

        let continued = try run("", "--keep-going")
        #expect(continued.errors == optional.errors)
        #expect(continued.output == optional.output)
        #expect(continued.exitCode == 69)
    }
}
