// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// Each regression that a plugin may have is found by `ctl try`, and a sound candidate is told nothing of.
@Suite(.timeLimit(.minutes(20))) struct PlantedRegressionsTests {
    /// A regression, and a part of what is told of it.
    private static let regressions: [(name: String, sentence: String)] = [
        ("wrong rounding", "planted/taxed by planted after 47: /payload 749 → 748"),
        ("lost branch", "planted/thanked by planted after"),
        ("extra output", "more than before:\n  planted/thanked by planted after"),
        ("swapped order", "in another order:\n  planted/taxed by planted after 1"),
        ("forgotten state", "/planted/returns  "),
        ("double count", "/planted/total  "),
        ("clamped", "/planted/total  "),
        ("wrong sign", "/planted/total  "),
        ("late reset", "/planted/customers"),
        ("wrong field", "planted/refunded by planted after"),
        ("off by one", "planted/refunded by planted after"),
        ("other content", #"/payload "customer 1" → "CUSTOMER 1""#),
        ("other type", "planted/noted by planted: "),
        ("dropped small", "actions missing:\n  planted/taxed by planted after"),
        ("forbidden output", "planted: 1 planted/secret that it may not emit, 0 before"),
        ("misfit", "planted: 46 planted/sold that it cannot read, 0 before"),
        ("lost effect", "planted/ask  12 → 0, for the first time after"),
        ("answer early", "planted/receipt by planted after"),
        ("random output", "planted is not deterministic in the candidate: tried twice, planted/taxed after"),
        (
            "random state",
            "planted is not deterministic in the candidate: tried twice, the state at /planted/mark was"
        ),
        ("set order", "planted is not deterministic in the candidate: tried twice, planted/thanked after"),
        ("slow", "slow in planted: planted/sold takes at least "),
        ("leaking", "leaking in planted: "),
        ("trap", "in the trial it died by SIGILL at action "),
        ("hang", "in the trial it did not return within 10 s at action "),
    ]

    @Test func `each of 25 planted regressions is found and named`() throws {
        let scene = try PlantedScene()
        #expect(Self.regressions.count == 25)
        for (name, sentence) in Self.regressions {
            let outcome = try scene.outcome(of: try scene.candidate(name))
            #expect(outcome.output.contains(sentence), "\(name): \(outcome.output)\(outcome.errors)")
            #expect(outcome.exitCode == (["trap", "hang"].contains(name) ? 69 : 65), "\(name)")
        }
        try scene.finish()
    }

    @Test func `a running version that is not deterministic is named, and not blamed on the candidate`()
        throws
    {
        let scene = try PlantedScene(running: "random output", lines: 60)
        let outcome = try scene.outcome(of: try scene.candidate("none"))
        #expect(
            outcome.output.contains(
                "planted is not deterministic in what it is compared with: tried twice, planted/taxed after"),
            "\(outcome.output)")
        #expect(outcome.output.contains("; nothing differs\n"), "\(outcome.output)")
        #expect(outcome.exitCode == 0)
        try scene.finish()
    }

    @Test func `a running version by chance in the same state twice is not blamed on the candidate`() throws {
        let scene = try PlantedScene(running: "balanced output", lines: 61)
        let outcome = try scene.outcome(of: try scene.candidate("none"))
        #expect(
            outcome.output.contains(
                "planted is not deterministic in what it is compared with: tried twice, planted/taxed after"),
            "\(outcome.output)")
        #expect(outcome.output.contains("; nothing differs\n"), "\(outcome.output)")
        #expect(outcome.exitCode == 0)
        try scene.finish()
    }

    @Test func `nothing is told of a candidate that is unchanged or was merely built again`() throws {
        let scene = try PlantedScene()
        for build in 0..<5 {
            let outcome = try scene.outcome(of: try scene.candidate("none", build: build))
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.count == (build == 0 ? 3 : 4), "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("; nothing differs\n"), "\(outcome.output)")
            #expect(outcome.exitCode == 0)
        }
        try scene.finish()
    }
}
