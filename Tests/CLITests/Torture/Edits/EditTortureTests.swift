// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import SeededTesting
import Testing

/// An edit after a crash has the effect that the same edit has as a reload: two hosts get the same actions and the same edits, one
/// of them each time after it was killed.
///
/// `GATEHOUSE_EDIT_SEEDS` sets the number of seeds, `GATEHOUSE_SEED` the first of them.
@Suite(.timeLimit(.minutes(120))) struct EditTortureTests {
    /// A number in the environment.
    private static func number(_ name: String) -> Int? {
        unsafe getenv(name).flatMap { unsafe Int(String(cString: $0)) }
    }

    /// How many seeds are gone through.
    private static let seeds = number("GATEHOUSE_EDIT_SEEDS") ?? 2
    /// The first of them; another one in each run.
    private static let first = UInt64(number("GATEHOUSE_SEED") ?? Int(getpid()) * 1_000)

    @Test func `an edit after a crash has the effect of the same edit as a reload`() throws {
        for seed in Self.first..<Self.first + UInt64(Self.seeds) {
            var story = EditStory(seed: seed)
            try story.tell()
        }
    }
}
