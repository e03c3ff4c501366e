// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// Who is to blame for the end of a process that instances shared.
@Suite(.timeLimit(.minutes(10))) struct WorkerBlameTests {
    /// What a flight recorder tells of a store, or of an instance.
    private func record(_ store: FlightRecord.Store = .partition(nil), _ instance: String? = nil)
        -> FlightRecord
    {
        var record = FlightRecord(blame: .record, store: store, sentence: "")
        record.instance = instance
        return record
    }

    /// What comes of traces of a process with instances `a`, `b` and `c`; the stores tell their numbers as sequences.
    private func blame(_ traces: WorkerBlame.Traces, ids: [String] = ["a", "b", "c"]) -> WorkerBlame {
        WorkerBlame(ids, by: traces) { number in
            var own = record(.partition(number))
            own.sequence = UInt64(number)
            return own
        }
    }

    @Test func `one that is alone is to blame, whatever is known`() {
        let found = blame(WorkerBlame.Traces(record: record(.host, "z")), ids: ["a"])
        #expect(found.suspects == [0])
        #expect(found.record?.instance == "z")
    }

    @Test func `an objection to a session goes before all else`() {
        let found = blame(
            WorkerBlame.Traces(objected: 2, making: 0, record: record(.partition(1)), callees: [1]))
        #expect(found.suspects == [2])
        #expect(found.record?.sequence == 2)
    }

    @Test func `the store that the flight recorder names is to blame, or the instance`() {
        #expect(blame(WorkerBlame.Traces(record: record(.partition(1)), callees: [0])).suspects == [1])
        #expect(blame(WorkerBlame.Traces(making: 0, record: record(.partition(nil), "c"))).suspects == [2])
    }

    @Test func `a record that names nobody of the process is none`() {
        for record in [record(.partition(3)), record(.host), record(.partition(nil), "d")] {
            let found = blame(WorkerBlame.Traces(record: record, callees: [0, 2]))
            #expect(found.suspects == [0, 2])
            #expect(found.record == nil)
        }
    }

    @Test func `a long id is known by its beginning, unless two begin so`() {
        let long = String(repeating: "x", count: 64)
        let cut = WorkerBlame.Traces(record: record(.partition(nil), String(long.prefix(63))))
        #expect(blame(cut, ids: ["a", long]).suspects == [1])
        #expect(blame(cut, ids: [long + "y", long]).suspects == [0, 1])
    }

    @Test
    func
        `the instance that is made is to blame where nothing else is known, and then the library that was called`()
    {
        #expect(blame(WorkerBlame.Traces(making: 1, callees: [0])).suspects == [1])
        #expect(blame(WorkerBlame.Traces(callees: [2])).suspects == [2])
    }

    @Test func `where nothing is known, all may have done it`() {
        let found = blame(WorkerBlame.Traces())
        #expect(found.suspects == [0, 1, 2])
        #expect(found.record == nil)
    }

    @Test func `of effects of several instances the youngest is left out, once one was blamed often enough`()
    {
        #expect(WorkerBlame.effect(among: []) == nil)
        #expect(WorkerBlame.effect(among: [nil, nil]) == nil)
        #expect(WorkerBlame.effect(among: [(5, false), (7, false)]) == nil)
        #expect(WorkerBlame.effect(among: [nil, (7, true)])! == (1, 7))
        #expect(WorkerBlame.effect(among: [(5, true), (7, false)])! == (1, 7))
        #expect(WorkerBlame.effect(among: [(9, false), (7, true), nil])! == (0, 9))
    }
}
