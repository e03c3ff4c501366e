// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSQLite
import Testing

@testable import GatehouseJournal

/// How far a journal goes, and what is missing of what was promised.
@Suite(.timeLimit(.minutes(10))) struct JournalExtentTests {
    /// Where some journal ends.
    private let extent = JournalExtent(batch: 5, sequence: 6, input: 7, epoch: 8, generation: 9)

    @Test func `what nothing is in goes nowhere, and what no journal reaches goes farther than any`() {
        #expect(JournalExtent().isEmpty)
        #expect(JournalExtent().covers(JournalExtent()))
        #expect(!extent.isEmpty)
        #expect(!extent.covers(.unreachable))
        #expect(JournalExtent.unreachable.covers(extent))
        for other in [
            JournalExtent(batch: 1), JournalExtent(sequence: 1), JournalExtent(input: 1),
            JournalExtent(epoch: 1), JournalExtent(generation: 1),
        ] { #expect(!other.isEmpty) }
    }

    @Test func `a promise is kept by all numbers that are as great`() {
        #expect(extent.covers(extent))
        let more = JournalExtent(batch: 6, sequence: 7, input: 8, epoch: 9, generation: 10)
        #expect(more.covers(extent))
        #expect(!extent.covers(more))
        for change in [
            { $0.batch = 4 }, { $0.sequence = 5 }, { $0.input = 6 }, { $0.epoch = 7 }, { $0.generation = 8 },
        ] as [(inout JournalExtent) -> Void] {
            var less = extent
            change(&less)
            #expect(!less.covers(extent), "\(less)")
            #expect(extent.covers(less), "\(less)")
        }
    }

    @Test func `what is missing is named by actions and inputs, else by what else is missing`() {
        for (change, expected, found) in [
            ({ $0.sequence = 5 }, "action 6 and input 7", "action 5 and input 7"),
            ({ $0.input = 6 }, "action 6 and input 7", "action 6 and input 6"),
            ({ $0.batch = 4 }, "batch 5", "batch 4"),
            ({ $0.generation = 8 }, "generation record 9", "generation record 8"),
            ({ $0.epoch = 7 }, "opening 8", "opening 7"),
            (
                {
                    $0.batch = 4
                    $0.sequence = 5
                }, "action 6 and input 7", "action 5 and input 7"
            ),
            (
                {
                    $0.batch = 4
                    $0.generation = 8
                }, "batch 5", "batch 4"
            ),
        ] as [((inout JournalExtent) -> Void, String, String)] {
            var less = extent
            change(&less)
            #expect(less.difference(from: extent).expected == expected)
            #expect(less.difference(from: extent).found == found)
        }
    }

    @Test func `a journal goes as far as its last rows say`() throws {
        let temporary = try TemporaryFolder()
        let connection = try JournalSchema.openForWriting(
            temporary("journal.sqlite"), isStrict: true, system: nil)
        #expect(try JournalExtent(connection) == JournalExtent())
        try connection.execute(
            """
            INSERT INTO batch VALUES (3, 10, 5, 40, 0, 3, 0, x'00'), (4, 15, 2, 41, 0, 3, 0, x'00');
            INSERT INTO epoch VALUES (1, 0, NULL, 'h', 'n'), (2, 0, NULL, 'h', 'n');
            INSERT INTO generation VALUES (6, 1, 1, 0, 0, x'00')
            """)
        #expect(
            try JournalExtent(connection)
                == JournalExtent(batch: 4, sequence: 16, input: 41, epoch: 2, generation: 6))
        try connection.execute("PRAGMA user_version = 1")
        #expect(try JournalExtent(connection).generation == 0)
        try connection.execute("PRAGMA user_version = 2")
        #expect(try JournalExtent(connection).generation == 6)
    }

    @Test func `numbers of rows are taken for the nearest that a host could have given`() {
        #expect(JournalNumbers.limit == 9_007_199_254_740_992)
        #expect(JournalNumbers.clamped(Int64.min) == 0)
        #expect(JournalNumbers.clamped(-1 as Int64) == 0)
        #expect(JournalNumbers.clamped(1 as Int64) == 1)
        #expect(JournalNumbers.clamped(1 << 53 - 1 as Int64) == JournalNumbers.limit - 1)
        #expect(JournalNumbers.clamped(1 << 53 + 1 as Int64) == JournalNumbers.limit)
        #expect(JournalNumbers.clamped(Int64.max) == JournalNumbers.limit)
        #expect(JournalNumbers.clamped(1.5) == 1.5)
        #expect(JournalNumbers.clamped(-1.5) == -1.5)
        #expect(JournalNumbers.clamped(1e12) == 1e11)
        #expect(JournalNumbers.clamped(-1e12) == -1e11)
        for time in [Double.nan, .infinity, -.infinity] { #expect(JournalNumbers.clamped(time) == 0) }
    }

    @Test func `numbers have their lowest bytes first`() {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: 0x0102 as UInt16)
        bytes.append(littleEndian: 0x0304_0506 as UInt32)
        bytes.append(littleEndian: 0x0708_090A_0B0C_0D0E as UInt64)
        #expect(bytes == [2, 1, 6, 5, 4, 3, 14, 13, 12, 11, 10, 9, 8, 7])
        #expect(UInt16(littleEndian: bytes[0..<2]) == 0x0102)
        #expect(UInt32(littleEndian: bytes[2..<6]) == 0x0304_0506)
        #expect(UInt64(littleEndian: bytes[6...]) == 0x0708_090A_0B0C_0D0E)
        #expect(UInt64(littleEndian: bytes[0..<2]) == 0x0102)
        #expect(UInt64(littleEndian: []) == 0)
    }
}
