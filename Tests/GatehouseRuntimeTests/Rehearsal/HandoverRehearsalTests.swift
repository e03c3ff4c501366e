// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The state of another image is taken over in a child first, by the built program.
@Suite(.timeLimit(.minutes(10))) struct HandoverRehearsalTests {
    /// Tries the second version of the plugin with a state.
    private func report(
        takingOver state: VersionedState, within limit: Duration = .seconds(10)
    ) throws -> RehearsalGroup.Report {
        let folder = try TemporaryFolder()
        try folder.copyLibrary("MigrantTwoPlugin", as: "libMigrant.so")
        let plugins = try PluginFolder(path: folder.path, trust: FileTrust(isStrict: false))
        let candidate = try #require(plugins.candidates.first)
        let note = try #require(candidate.verdict.note)
        let file = try #require(candidate.file)
        let act = RehearsalAct(
            content: ImageContent(file), broughtAlong: file.digest, note: note,
            instances: ["a", "b"].map {
                PlannedInstance(
                    InstanceConfiguration(id: $0), manifest: note.manifest, library: candidate)
            }, states: ["b": state])
        return RehearsalGroup(program: BuiltProducts.program, acts: [act], limit: limit, stop: nil)
            .perform()
    }

    /// Why the instance that was to take a state over is refused; the other one never is.
    private func refusal(_ report: RehearsalGroup.Report) throws -> String {
        #expect(report.refused.keys.sorted() == ["b"])
        #expect(report.obstacle == nil)
        let sentence = try #require(report.refused["b"]?.description)
        let start = try #require(sentence.firstRange(of: "refused for the instance b: "))
        return String(sentence[start.upperBound...])
    }

    @Test(arguments: [
        VersionedState(version: 1, value: ["total": 5, "deed": ""]),
        VersionedState(version: 2, value: ["sum": 5]),
    ])
    func `a state that the plugin knows is taken over`(state: VersionedState) throws {
        let report = try report(takingOver: state)
        #expect(report.refused.isEmpty && report.obstacle == nil)
        #expect(report.passed.count == 1)
    }

    @Test(arguments: [
        (
            1, "throw",
            "its state of version 1 cannot be taken over: /total: expected a number of the first half, found another; correct the plugin's migrate"
        ),
        (
            1, "misfit",
            "its state of version 1 cannot be taken over: /sum: expected an integer, found a string; correct the plugin's migrate"
        ),
        (
            3, "",
            "its state of version 3 cannot be taken over: expected state of version at most 2, found version 3; install a library that knows this version, or remove the state"
        ),
        (
            2, "",
            "its state of version 2 cannot be taken over: expected a member \"sum\", found none; raise the plugin's stateVersion and let migrate read this form"
        ),
    ])
    func `a state that does not fit refuses its instance and no other`(
        version: Int, deed: String, sentence: String
    ) throws {
        let state = VersionedState(version: version, value: ["total": 5, "deed": .string(deed)])
        #expect(try refusal(report(takingOver: state)) == sentence)
    }

    @Test(.disabled(if: Sanitizer.watchesThreads))
    func `a migration that traps refuses its instance and no other`() throws {
        let lines = try refusal(
            report(takingOver: VersionedState(version: 1, value: ["deed": "trap"]))
        ).split(separator: "\n")
        #expect(
            lines.first
                == "in a rehearsal it died by SIGILL while the state of the instance b was taken over; correct the plugin"
        )
        #expect(lines.dropFirst().first?.hasSuffix("Fatal error: no way from 1") == true, "\(lines)")
    }

    @Test(.disabled(if: Sanitizer.watchesThreads))
    func `a migration that does not come back is refused when its time is over`() throws {
        let lines = try refusal(
            report(
                takingOver: VersionedState(version: 1, value: ["deed": "loop"]), within: .seconds(1))
        ).split(separator: "\n")
        #expect(
            lines.first
                == "in a rehearsal it did not return within 1 s while the state of the instance b was taken over; correct the plugin, or allow more time with \"limits\"/\"rehearsal\""
        )
    }
}
