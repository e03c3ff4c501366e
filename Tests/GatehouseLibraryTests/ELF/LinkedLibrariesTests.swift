// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseLibrary

/// Which built files need which libraries of the system.
@Suite(.timeLimit(.minutes(10)))
struct LinkedLibrariesTests {
    /// The libraries that a built file needs.
    private func needed(_ path: String) throws -> [String] {
        let bytes: [UInt8] = try FileSystem.read(path)
        return try #require(try ELFImage(reading: bytes).dynamic).needed
    }

    @Test
    func `of the plugins the persistence plugin alone needs SQLite, which the host needs for its journal`()
        throws
    {
        let sqlite = "libsqlite3.so.0"
        #expect(try needed(BuiltProducts.library("PersistencePlugin")).contains(sqlite))
        for other in ["GatehouseSDK", "CounterPlugin", "CrashReportsPlugin", "LoggerPlugin", "RulesPlugin"] {
            #expect(try !needed(BuiltProducts.library(other)).contains(sqlite), "\(other)")
        }
        #expect(try needed(BuiltProducts.program).contains(sqlite))
    }
}
