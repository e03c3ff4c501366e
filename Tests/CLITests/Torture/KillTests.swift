// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What a host keeps that is killed while four writers write.
///
/// `GATEHOUSE_KILLS` sets the number of kills, `GATEHOUSE_SEED` what decides about their moments.
@Suite(.timeLimit(.minutes(120))) struct KillTests {
    /// A number in the environment.
    private static func number(_ name: String) -> Int? {
        unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) }
    }

    /// Whether somebody has said how often.
    static let isAsked = number("GATEHOUSE_KILLS") != nil
    /// How often a host is killed.
    static let kills = number("GATEHOUSE_KILLS") ?? 10
    /// What decides about the moments; another one in each run.
    static let seed = UInt64(number("GATEHOUSE_SEED") ?? Int(getpid()))
    /// A journal is begun anew after so many kills, so that one run of all its actions stays short.
    private static let killsOfOneJournal = 50

    @Test func `what four writers send is entered once and in order, and acknowledged when it is`() throws {
        let host = try TorturedHost("", seed: Self.seed)
        let state = try host.runToEnd()
        try host.expectAll(in: state)
        #expect(try LedgerPage(of: "w3", in: state).entered == [1...100])
    }

    /// Kills a host again and again, by journals of at most 50 kills, and looks at what each has kept.
    ///
    /// - Parameter losesPower: whether what was not synced goes with the host.
    private func torture(
        _ mode: String, losesPower: Bool, look: (TorturedHost, Value) throws -> Void
    ) throws {
        var left = Self.kills
        var seed = Self.seed
        while left > 0 {
            let host = try TorturedHost(
                #""journal": { "mode": "\#(mode)", "snapshotEvery": 500 }, "#, losesPower: losesPower,
                seed: seed)
            for _ in 0..<min(left, Self.killsOfOneJournal) { try host.runAndKill() }
            left -= Self.killsOfOneJournal
            seed += 1
            let state = try host.runToEnd()
            try look(host, state)
            // The reducers over all actions from the first on, in a run that knows nothing of the states in between.
            let file = JournalFile(in: host.scene.folder("journal"))
            try file.change("DELETE FROM slice; DELETE FROM snapshot")
            #expect(try host.runIdly() == state, "seed \(host.seed)")
            #expect(try JSONText.parse(host.scene.call("state").output) == state, "seed \(host.seed)")
        }
    }

    @Test(arguments: [false, true])
    func `nothing that was acknowledged is lost, and nothing is reduced twice, however often the host dies`(
        losesPower: Bool
    ) throws {
        try torture("strict", losesPower: losesPower) { host, state in try host.expectAll(in: state) }
    }

    @Test(arguments: [false, true])
    func `a relaxed journal may lose what is young, and reduces nothing twice either`(losesPower: Bool) throws
    {
        try torture("relaxed", losesPower: losesPower) { host, state in try host.expectOrder(in: state) }
    }
}
