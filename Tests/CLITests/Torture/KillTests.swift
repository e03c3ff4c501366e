// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
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
}
