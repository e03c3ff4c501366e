// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10))) struct WrittenSliceTests {
    /// An engine that keeps the slices of one instance, `a`.
    private struct Scene {
        var written = WrittenSlice(of: "a")
        /// What the engine has.
        var slices: [String: [UInt8]] = [:]
        /// The number of bytes written.
        var bytes = 0

        /// Writes a value, and checks that the engine has it then.
        mutating func write(_ value: Value, isRead: Bool = true) throws {
            let writing = written.write(value)
            #expect(Set(writing.gone).isDisjoint(with: writing.slices.keys))
            #expect(writing.gone.allSatisfy { slices[$0] != nil })
            slices.merge(writing.slices) { $1 }
            for name in writing.gone { slices[name] = nil }
            bytes += writing.slices.values.reduce(0) { $0 + $1.count }
            guard isRead else { return }
            #expect(try read() == value)
        }

        /// What the next owner reads.
        func read() throws -> Value? {
            let name = PartitionSlices.name(of: "a")
            var values = [name: try JSONText.parse(try #require(slices[name]))]
            try PartitionSlices.apply(changesIn: slices, to: &values)
            return values[name]
        }
    }

    /// A state with so many keys, of which one has changed so often.
    private func state(_ keys: Members) -> Value { ["plugin": "limit", "state": ["keys": .object(keys)]] }

    /// Keys with a number each.
    private func keys(_ count: Int) -> Members {
        Members((0..<count).map { ("client-\($0)", .integer(Int64($0))) })
    }

    @Test func `a small state is written whole, and one that has not changed is not written`() throws {
        var scene = Scene()
        try scene.write(state(keys(10)))
        try scene.write(state(keys(11)))
        #expect(Set(scene.slices.keys) == ["instance:a"])
        var keys = keys(1_000)
        try scene.write(state(keys))
        let bytes = scene.bytes
        try scene.write(state(keys))
        #expect(scene.bytes == bytes)
        keys["client-7"] = 0
        try scene.write(state(keys))
        #expect(scene.slices["change:1:a"] == Array(#"{"state":{"keys":{"client-7":[0]}}}"#.utf8))
        // Small again: no change is left behind.
        try scene.write(state([:]))
        #expect(Set(scene.slices.keys) == ["instance:a"])
    }

    @Test func `sixteen changes become one, sixteen of these again, and half the size is too much`() throws {
        var scene = Scene()
        var keys = keys(1_000)
        try scene.write(state(keys))
        let whole = scene.slices["instance:a"]
        var most = 0
        var number = 0
        while scene.slices["instance:a"] == whole {
            number += 1
            keys["client-\(number % 1_000)"] = .integer(Int64(-number))
            // What was put together and what comes right after it is read; reading takes far longer than writing.
            try scene.write(state(keys), isRead: number % 16 < 2)
            most = max(most, scene.slices.count)
            if number == 15 { #expect(scene.slices.count == 16) }
            if number == 16 { #expect(Set(scene.slices.keys) == ["instance:a", "change:16:a"]) }
            if number == 256 { #expect(Set(scene.slices.keys) == ["instance:a", "change:256:a"]) }
        }
        #expect(try scene.read() == state(keys))
        #expect(most <= 1 + 15 * 3)
        #expect(Set(scene.slices.keys) == ["instance:a"])
    }

    @Test func `the bytes for a change do not depend on the number of keys`() throws {
        let costs = try [500, 2_500].map { count in
            var scene = Scene()
            var keys = keys(count)
            try scene.write(state(keys))
            let before = scene.bytes
            // Long enough for the small one to be written whole several times.
            for number in 0..<600 {
                keys["client-\(number * 7 % count)"] = .integer(Int64(-number))
                try scene.write(state(keys), isRead: number == 599)
            }
            return (scene.bytes - before) / 600
        }
        #expect(costs[1] < 2 * costs[0], "\(costs)")
        #expect(costs.allSatisfy { $0 < 500 }, "\(costs)")
    }
}
