// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// Actions that go to the engine together.
@Suite(.timeLimit(.minutes(10))) struct ClusterBatchTests {
    /// Adds some actions of two writers.
    private func fill(_ batch: inout ClusterBatch, from first: UInt64) {
        for (place, source) in ["a.1", "a.1", "b.2", "a.1"].enumerated() {
            batch.add(
                Array(#"{"type":"x"}"#.utf8), to: place % 2,
                from: ClusterOrigin(source: source, sequence: first + UInt64(place)))
        }
    }

    @Test func `a batch that is used again is as a fresh one`() {
        var used = ClusterBatch()
        for round in 0..<3 as Range<UInt64> {
            var fresh = ClusterBatch()
            fill(&used, from: round * 4)
            fill(&fresh, from: round * 4)
            #expect(used.count == 4)
            #expect(used.byteCount == fresh.byteCount)
            #expect(used.bytes == fresh.bytes)
            #expect(used.writers == fresh.writers)
            #expect(
                used.items.map { [$0.partition, $0.writer, $0.start, $0.digits, $0.action, $0.end] }
                    == fresh.items.map { [$0.partition, $0.writer, $0.start, $0.digits, $0.action, $0.end] })
            used.removeAll(keepingCapacity: round == 0)
            #expect(used.isEmpty && used.count == 0 && used.byteCount == 0)
        }
    }
}
