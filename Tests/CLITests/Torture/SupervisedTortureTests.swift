// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What a supervisor and a journal keep together of a host whose plugin traps, and that is killed besides: three times, or
/// `GATEHOUSE_KILLS` times.
@Suite(.timeLimit(.minutes(120))) struct SupervisedTortureTests {
    /// Numbers of the first writer at which the plugin traps, and where.
    private static let deeds = [30: "handle", 31: "reduce", 200: "reduce", 350: "handle"]
    /// Another host is begun after so many kills, so that the journal of each stays short.
    private static let killsOfOneHost = 50

    @Test func `exactly the actions at which a plugin traps become dead letters, and all others are done`()
        throws
    {
        var left = KillTests.isAsked ? KillTests.kills : 3
        var seed = KillTests.seed
        while left > 0 {
            try torture(kills: min(left, Self.killsOfOneHost), seed)
            left -= Self.killsOfOneHost
            seed += 1
        }
    }

    /// Lets a plugin trap in a host, which is killed besides, and looks at what is left of it.
    private func torture(kills: Int, _ seed: UInt64) throws {
        let tortured = try TorturedHost(
            """
            "name": "shop", "journal": { "mode": "strict", "snapshotEvery": 100 },
            "supervise": { "pause": 0, "crashes": 1000 }, 
            """, arguments: ["--supervise", "--control"], seed: seed, deeds: Self.deeds)
        let supervisor = try tortured.start()
        try tortured.waitUntilListening(supervisor)
        try tortured.writeAll(upTo: 200)
        // Killed from outside as well, which is nobody's fault.
        var struck = 0
        for number in 1...kills {
            try tortured.writeAll(upTo: 200 + 100 * number) {
                if let host = supervisor.supervisedHost, kill(host, SIGKILL) == 0 { struck += 1 }
            }
            try supervisor.takeWhatIsThere()
        }
        // Whoever acknowledges these was not killed, so that it answers below as well.
        try tortured.writeAll(upTo: 300 + 100 * kills)
        let letters = try JSONText.parse(try tortured.scene.call("ctl", "dead-letters", "--json").output)
        supervisor.signal(SIGTERM)
        let outcome = try supervisor.finish()
        let place: Comment = "seed \(seed): \(outcome.errors)"
        #expect(outcome.exitCode == 0, place)
        try tortured.expectAll(in: try JSONText.parse(outcome.output), except: Set(Self.deeds.keys))
        let dead = (letters["letters"]?.arrayValue ?? []).map { letter in
            [letter["kind"]?.stringValue, letter["action"]?["payload"]?["number"]?.intValue.map(String.init)]
        }
        #expect(Set(dead) == Set(Self.deeds.keys.map { ["set-aside", "\($0)"] }), place)
        for number in Self.deeds.keys {
            #expect(dead.count { $0[1] == "\(number)" } == 1, place)
        }
        // Nobody was blamed for the kills, and each of them was told.
        #expect(!outcome.errors.contains("is in quarantine"), place)
        #expect(
            outcome.errorLines.count { $0.contains(" is set aside: ") && $0.contains("SIGKILL") } == 0, place)
        let told = outcome.errorLines.count { $0.contains(" died by SIGKILL, which another process ") }
        #expect(told <= struck, place)
        #expect(struck > 0, place)
    }
}
