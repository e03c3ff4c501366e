// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What a host keeps that is killed while four writers write.
///
/// `GATEHOUSE_KILLS` sets the number of kills, `GATEHOUSE_SEED` what decides about their moments.
@Suite struct KillTests {
    /// A number in the environment.
    private static func number(_ name: String) -> Int? {
        unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) }
    }

    /// How often a host is killed.
    private static let kills = number("GATEHOUSE_KILLS") ?? 10
    /// What decides about the moments; another one in each run.
    private static let seed = UInt64(number("GATEHOUSE_SEED") ?? Int(getpid()))
    /// A journal is begun anew after so many kills, so that one run of all its actions stays short.
    private static let killsOfOneJournal = 50

    @Test func `what four writers send is entered once and in order, and acknowledged when it is`() throws {
        let host = try TorturedHost("", seed: Self.seed)
        let state = try host.runToEnd()
        try host.expectAll(in: state)
        #expect(try LedgerPage(of: "w3", in: state).entered == [1...100])
    }

    /// Kills a host again and again, by journals of at most 50 kills, and looks at what each has kept.
    private func torture(_ journal: String, look: (TorturedHost, Value) throws -> Void) throws {
        var left = Self.kills
        var seed = Self.seed
        while left > 0 {
            let host = try TorturedHost(journal, seed: seed)
            for _ in 0..<min(left, Self.killsOfOneJournal) { try host.runAndKill() }
            left -= Self.killsOfOneJournal
            seed += 1
            let state = try host.runToEnd()
            try look(host, state)
            // The reducers over all actions from the first on, in a run that knows nothing of the states in between.
            let file = JournalFile(in: host.scene.folder("journal"))
            try file.change("DELETE FROM slice; DELETE FROM snapshot")
            #expect(try host.runIdly() == state, "seed \(host.seed)")
        }
    }

    @Test
    func
        `nothing that was acknowledged is lost, and nothing is reduced twice, however often the host is killed`()
        throws
    {
        try torture(#""journal": { "mode": "strict", "snapshotEvery": 500 }, "#) { host, state in
            try host.expectAll(in: state)
        }
    }

    @Test func `a relaxed journal may lose what is young, and reduces nothing twice either`() throws {
        try torture(#""journal": { "mode": "relaxed", "snapshotEvery": 500 }, "#) { host, state in
            try host.expectOrder(in: state)
        }
    }
}
