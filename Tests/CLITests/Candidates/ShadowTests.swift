// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// Shadows of an instance on a running host.
@Suite(.timeLimit(.minutes(10))) struct ShadowTests {
    /// A configuration with a shadow, whose library another one replaces.
    private static let configuration = """
        { "name": "shop", "journal": { "directory": "journal" },
          "plugins": [{ "id": "planted", "library": "libPlantedPlugin.so" },
                      { "id": "next", "shadow": "planted", "library": "libNext.so" }] }
        """

    /// A host with a shadow that has a regression.
    private func host(with regression: String) throws -> (scene: Scene, host: LiveHost) {
        let scene = try Scene(Self.configuration, libraries: ["PlantedPlugin"])
        try FileSystem.write(
            try PlantedScene.library(with: regression, build: 1), to: scene.folder("plugins/libNext.so"))
        return (scene, try LiveHost(scene, ["--control", "--print", "none"]))
    }

    /// What a host tells of its shadows once they have heard so many actions, or have ended.
    private func told(_ host: LiveHost, heard count: Int) throws -> (text: String, exitCode: Int32?) {
        // Each answer waits until the shadow has heard what was recorded, or a while on a busy machine.
        for _ in 0..<20 {
            let answer = try JSONText.parse(Array(try host.ctl("shadow", "--json").output.utf8))
            let shadow = answer["shadows"]?.arrayValue?.first
            guard shadow?["stage"] == "ended" || shadow?["heard"]?.intValue == count else { continue }
            break
        }
        let outcome = try host.ctl("shadow")
        return (outcome.output, outcome.exitCode)
    }

    /// Ends a host, and returns what it has told.
    private func errors(_ host: LiveHost) throws -> [String] { try host.finish().errors }

    @Test func `a shadow that answers alike is told so, and nothing of it goes out`() throws {
        let (_, host) = try host(with: "none")
        for number in 1...30 { host.write(PlantedScene.line(number)) }
        try host.settle()
        // A sale leads to two more actions, and three of four returns to one.
        let count = 30 + 2 * 26 + 3
        let found = try told(host, heard: count)
        #expect(found.text == "next, shadow of planted: \(count) actions heard, all answered alike\n")
        #expect(found.exitCode == 0)
        let status = try JSONText.parse(Array(try host.ctl("status", "--json").output.utf8))
        #expect(status["actions"]?.intValue == count)
        #expect(
            status["shadows"] == [
                [
                    "id": "next", "of": "planted", "stage": "hearing", "heard": Value(count),
                    "differing": 0,
                ]
            ])
        #expect(
            try host.ctl("metrics").output.contains(
                "gatehouse_shadow_heard_total{host=\"shop\",shadow=\"next\",instance=\"planted\"} \(count)\n")
        )
        _ = try errors(host)
    }

    @Test func `outputs, effects and state that differ are told with their first places`() throws {
        for (regression, line, sentences) in [
            (
                "wrong rounding", PlantedScene.line(23),
                ["planted/taxed changed: 1", "planted/taxed by planted after 1: /payload "]
            ),
            (
                "lost effect", #"{"type":"planted/ask"}"#,
                ["planted/ask  1 → 0", "effects of planted/ask after 1  1 → 0"]
            ),
            (
                "forgotten state", #"{"type":"planted/returned","payload":3}"#,
                ["the state differs at 1 place, seen after 2: /planted/returns  1 → 0"]
            ),
        ] {
            let (_, host) = try host(with: regression)
            host.write(line)
            try host.settle()
            var found = try told(
                host, heard: regression == "lost effect" ? 2 : regression == "forgotten state" ? 2 : 3)
            // The states are compared when nothing more comes.
            for _ in 0..<200 where found.exitCode == 0 { found = try told(host, heard: 2) }
            #expect(found.exitCode == 65, "\(regression)")
            for sentence in sentences { #expect(found.text.contains(sentence), "\(found.text)") }
            _ = try errors(host)
        }
    }

    @Test func `a shadow that dies says where, harms nobody, and hears again after a reload`() throws {
        let (scene, host) = try host(with: "trap")
        let sale = #"{"type":"planted/sold","payload":{"amount":555,"customer":"a"}}"#
        host.write(sale)
        try host.settle()
        let found = try told(host, heard: -1)
        #expect(
            found.text.hasPrefix(
                "next, shadow of planted: nothing heard yet\n  it hears nothing until the next reload: died by SIGILL at action 1, planted/sold in planted\n"
            ), "\(found.text)")
        #expect(found.exitCode == 65)
        try FileSystem.write(
            try PlantedScene.library(with: "none", build: 2), to: scene.folder("plugins/libNext.so"))
        let reloaded = try host.ctl("reload")
        #expect(
            reloaded.output.replacing(/after \d+ ms/, with: "after N ms")
                == "generation 2 runs, after N ms: replace next, a shadow of planted\n", "\(reloaded.errors)")
        host.write(sale)
        try host.settle()
        #expect(
            try told(host, heard: 3).text == "next, shadow of planted: 3 actions heard, all answered alike\n")
        let errors = try errors(host)
        #expect(
            errors.contains {
                $0.hasPrefix(
                    "gatehouse: the shadow next of planted hears nothing until the next reload: died by SIGILL at action 1, planted/sold in planted"
                )
            }, "\(errors)")
    }

    @Test func `a reload of something else lets the comparison go on`() throws {
        let (scene, host) = try host(with: "wrong rounding")
        host.write(PlantedScene.line(23))
        try host.settle()
        #expect(try told(host, heard: 3).text.contains("1 answered otherwise"))
        try scene.folder.write(
            Self.configuration.replacing(
                #""library": "libPlantedPlugin.so" }"#,
                with: #""library": "libPlantedPlugin.so", "keep": true }"#),
            to: "plugins.json")
        #expect(try host.ctl("reload").output.contains("change planted: keep"))
        host.write(PlantedScene.line(23))
        try host.settle()
        #expect(
            try told(host, heard: 6).text.hasPrefix(
                "next, shadow of planted: 6 actions heard, 2 answered otherwise (33.33 %)\n"))
        _ = try errors(host)
    }

    @Test func `whoever asks for a shadow that there is none of learns what there is`() throws {
        let (_, host) = try host(with: "none")
        let unknown = try host.ctl("shadow", "nxt")
        #expect(
            unknown.errors
                == "gatehouse: expected the id of a shadow, found \"nxt\"; did you mean \"next\"?\n")
        #expect(unknown.exitCode == 64)
        #expect(try host.ctl("shadow", "next").exitCode == 0)
        _ = try errors(host)
    }
}
