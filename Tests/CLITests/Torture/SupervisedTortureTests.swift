// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What a supervisor and a journal keep together of a host whose plugin traps, and that is killed besides: three times, or a tenth of
/// `GATEHOUSE_KILLS`.
@Suite struct SupervisedTortureTests {
    /// Numbers of the first writer at which the plugin traps, and where.
    private static let deeds = [30: "handle", 31: "reduce", 200: "reduce", 350: "handle"]

    /// The process that a supervisor has started last; nil while it has none.
    private func host(of supervisor: ChildProcess) -> Int32? {
        let path = "/proc/\(supervisor.identifier)/task/\(supervisor.identifier)/children"
        guard let bytes = try? FileSystem.read(path) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").last.flatMap { Int32($0) }
    }

    @Test func `exactly the actions at which a plugin traps become dead letters, and all others are done`()
        throws
    {
        let tortured = try TorturedHost(
            """
            "name": "shop", "journal": { "mode": "strict", "snapshotEvery": 100 },
            "supervise": { "pause": 0, "crashes": 1000 }, 
            """, arguments: ["--supervise", "--control"], seed: KillTests.seed, deeds: Self.deeds)
        let supervisor = try tortured.start()
        try tortured.waitUntilListening(supervisor)
        try tortured.writeAll(upTo: 200)
        // Killed from outside as well, which is nobody's fault.
        let kills = max(3, KillTests.kills / 10)
        for number in 1...kills {
            try tortured.writeAll(upTo: 200 + 100 * number) {
                if let host = host(of: supervisor) { kill(host, SIGKILL) }
            }
        }
        // Whoever acknowledges these was not killed, so that it answers below as well.
        try tortured.writeAll(upTo: 300 + 100 * kills)
        let letters = try JSONText.parse(try tortured.scene.call("ctl", "dead-letters", "--json").output)
        supervisor.signal(SIGTERM)
        let outcome = try supervisor.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        try tortured.expectAll(in: try JSONText.parse(outcome.output), except: Set(Self.deeds.keys))
        let dead = (letters["letters"]?.arrayValue ?? []).map { letter in
            [letter["kind"]?.stringValue, letter["action"]?["payload"]?["number"]?.intValue.map(String.init)]
        }
        #expect(Set(dead) == Set(Self.deeds.keys.map { ["set-aside", "\($0)"] }))
        for number in Self.deeds.keys {
            #expect(dead.count { $0[1] == "\(number)" } == 1)
        }
    }
}
