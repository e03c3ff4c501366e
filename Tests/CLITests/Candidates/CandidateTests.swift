// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// Candidates on a running host: `ctl try` and `ctl swap`.
@Suite(.timeLimit(.minutes(10))) struct CandidateTests {
    /// A host with a few actions.
    private func scene() throws -> PlantedScene { try PlantedScene(lines: 20) }

    /// Runs `gatehouse ctl` in a scene.
    private func ctl(_ scene: PlantedScene, _ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            arguments: ["ctl"] + arguments, in: scene.scene.folder.path, environment: scene.scene.environment)
    }

    /// The digest of a candidate, from what was told of its trial.
    private func digest(_ outcome: ChildProcess.Outcome) throws -> String {
        String(try #require(outcome.output.firstMatch(of: /sha256 ([0-9a-f]{64})/)?.output.1))
    }

    @Test func `a candidate is tried and swapped by its digest`() throws {
        let scene = try scene()
        let tried = try scene.outcome(of: try scene.candidate("wrong rounding"))
        #expect(tried.exitCode == 65)
        let digest = try digest(tried)
        #expect(tried.output.contains("\nreplace planted: new bytes of version 1.0.0\n"), "\(tried.output)")
        #expect(
            tried.output.hasSuffix(
                "\ngatehouse ctl swap \(digest.prefix(12)) puts it in the place of what runs\n"))
        let swapped = try ctl(scene, "swap", String(digest.prefix(12)))
        #expect(
            swapped.output.replacing(/after \d+ ms/, with: "after N ms")
                == "generation 2 runs, after N ms: replace planted: new bytes of version 1.0.0\n",
            "\(swapped.errors)")
        #expect(swapped.exitCode == 0)
        #expect(
            try FileSystem.read(scene.scene.folder("plugins/libPlantedPlugin.so"))
                == FileSystem.read(scene.scene.folder("libCandidate-wrong rounding-0.so")))
        // It replaced the generation that the trial was about.
        let again = try ctl(scene, "swap", digest)
        #expect(again.exitCode != 0)
        try scene.finish()
    }

    @Test func `a file that changed after the trial is not overwritten`() throws {
        let scene = try scene()
        let digest = try digest(try scene.outcome(of: try scene.candidate("clamped")))
        let path = scene.scene.folder("plugins/libPlantedPlugin.so")
        try FileSystem.write(try FileSystem.read(scene.candidate("none", build: 7)), to: path)
        let swapped = try ctl(scene, "swap", digest)
        #expect(
            swapped.errors.contains(
                "plugins/libPlantedPlugin.so has changed since the trial: expected sha256 "),
            "\(swapped.output)\(swapped.errors)")
        #expect(swapped.errors.hasSuffix("; try the candidate again\n"))
        #expect(swapped.exitCode == 64)
        #expect(
            try FileSystem.read(path)
                == FileSystem.read(scene.scene.folder("libCandidate-none-7.so")))
        try scene.finish()
    }

    @Test func `what is swapped in are the bytes that were tried, whatever became of the file`() throws {
        let scene = try scene()
        let candidate = try scene.candidate("wrong rounding")
        let tried = try FileSystem.read(candidate)
        let digest = try digest(try scene.outcome(of: candidate))
        try FileSystem.write(try FileSystem.read(scene.candidate("trap")), to: candidate)
        #expect(try ctl(scene, "swap", digest).exitCode == 0)
        #expect(try FileSystem.read(scene.scene.folder("plugins/libPlantedPlugin.so")) == tried)
        try scene.finish()
    }

    @Test func `a configuration is tried and swapped like a library`() throws {
        let scene = try scene()
        let next = PlantedScene.configuration.replacing(
            #"{ "id": "planted" }"#, with: #"{ "id": "planted", "gate": "bypass" }"#)
        try scene.scene.folder.write(next, to: "next.json")
        let tried = try scene.outcome(of: scene.scene.folder("next.json"), "--json")
        let trial = try JSONText.parse(tried.output)
        #expect(trial["kind"] == "configuration")
        #expect(trial["stage"] == "tried")
        #expect(trial["outcome"]?["same"] == false)
        #expect(trial["changes"] == ["change planted: gate"], "\(trial)")
        #expect(tried.exitCode == 65)
        let swapped = try ctl(scene, "swap", trial["digest"]?.stringValue ?? "")
        #expect(swapped.output.contains("generation 2 runs"), "\(swapped.output)\(swapped.errors)")
        #expect(
            try FileSystem.read(scene.scene.folder("plugins.json")) == Array(next.utf8))
        try scene.finish()
    }

    @Test func `a candidate that was refused in its trial cannot be swapped in`() throws {
        let scene = try scene()
        try scene.scene.folder.write(#"{ "plugins": [{ "id": "nobody" }] }"#, to: "next.json")
        let tried = try scene.outcome(of: scene.scene.folder("next.json"))
        #expect(tried.output.contains("next.json:1:"), "\(tried.output)\(tried.errors)")
        #expect(tried.output.contains("no library in ./plugins declares the plugin id \"nobody\""))
        #expect(tried.exitCode == 78)
        let swapped = try ctl(scene, "swap", try digest(tried))
        #expect(
            swapped.errors.hasSuffix("next.json was refused in its trial; correct it, and try it again\n"))
        try scene.finish()
    }

    @Test func `a pin decides about a candidate as about any library`() throws {
        let scene = try scene()
        // The candidate without a regression has the bytes of the library that runs.
        let pinned = try digest(try scene.outcome(of: try scene.candidate("none")))
        try scene.scene.folder.write(
            PlantedScene.configuration.replacing(
                #"{ "id": "planted" }"#, with: #"{ "id": "planted", "sha256": "\#(pinned)" }"#),
            to: "plugins.json")
        let tried = try scene.outcome(of: try scene.candidate("clamped"))
        #expect(tried.output.contains(pinned), "\(tried.output)\(tried.errors)")
        #expect(tried.exitCode == 69)
        #expect(try scene.outcome(of: try scene.candidate("none")).exitCode == 0)
        try scene.finish()
    }

    @Test func `what cannot be tried or swapped is told with what was expected`() throws {
        let scene = try scene()
        let unknown = try ctl(scene, "swap", "0123456789ab")
        #expect(
            unknown.errors
                == "gatehouse: no candidate was tried with the digest \"0123456789ab\"; try one with gatehouse ctl try FILE\n"
        )
        #expect(unknown.exitCode == 64)
        let missing = try ctl(scene, "try", "no.so")
        #expect(missing.errors.contains("no.so"), "\(missing.errors)")
        #expect(missing.exitCode == 64)
        let since = try ctl(scene, "try", "no.so", "--since", "noon")
        #expect(
            since.errors.hasPrefix(
                "gatehouse: --since: expected a moment such as 2026-01-31T12:00:00Z, or a time such as 24h or 30m, found \"noon\""
            ), "\(since.errors)")
        let foreign = try ctl(scene, "plan", "--last", "3")
        #expect(foreign.exitCode == 64)
        try scene.finish()
    }

    @Test func `a host without a journal has nothing to try a candidate on`() throws {
        let scene = try PlantedScene(#"{ "plugins": [{ "id": "planted" }] }"#, lines: 1)
        let outcome = try scene.outcome(of: try scene.candidate("slow"))
        #expect(
            outcome.errors
                == "gatehouse: this host keeps no journal, so it has no history; add \"journal\" to its configuration\n"
        )
        #expect(outcome.exitCode == 64)
        try scene.finish()
    }

    @Test func `a trial goes over as much of the past as is asked for`() throws {
        let scene = try scene()
        let path = try scene.candidate("none", build: 3)
        #expect(try scene.outcome(of: path, "--last", "5").output.contains("actions "))
        let last = try JSONText.parse(try scene.outcome(of: path, "--last", "5", "--json").output)
        let to = try #require(last["outcome"]?["to"]?.intValue)
        #expect(last["outcome"]?["from"]?.intValue == to - 4)
        #expect(try scene.outcome(of: path, "--since", "1h").output.contains("actions 1 to \(to): "))
        #expect(
            try scene.outcome(of: path, "--since", "9999-01-01T00:00:00Z").output
                .contains("the journal has no actions there"))
        try scene.finish()
    }
}
