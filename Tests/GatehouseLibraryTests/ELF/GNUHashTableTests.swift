// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct GNUHashTableTests {
    /// The number of symbols that a table tells which begins at an offset of a file that ends with it.
    private func count(
        _ first: UInt32, bloom: Int = 1, buckets: [UInt32], chains: [UInt32], offset: Int = 4, cut: Int = 0
    ) throws -> UInt64 {
        let numbers =
            [UInt32(buckets.count), first, UInt32(bloom), 6] + [UInt32](repeating: .max, count: bloom * 2)
            + buckets + chains
        var bytes = [UInt8](repeating: 0xff, count: offset)
        for number in numbers {
            for shift in stride(from: 0, to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
            }
        }
        bytes.removeLast(cut)
        return try unsafe bytes.withUnsafeBytes {
            try unsafe GNUHashTable.symbolCount(at: UInt64(offset), reading: ByteReader($0))
        }
    }

    @Test func `the last symbol is the end of the chain that starts last`() throws {
        #expect(try count(1, buckets: [1], chains: [1]) == 2)
        #expect(try count(1, buckets: [1], chains: [2, 4, 7]) == 4)
        #expect(try count(5, buckets: [5, 7], chains: [2, 3, 8, 9]) == 9)
        #expect(try count(5, buckets: [7, 5], chains: [2, 3, 8, 9]) == 9)
        #expect(try count(5, buckets: [0, 6, 0], chains: [3, 3, 8, 9]) == 7)
        #expect(try count(5, bloom: 3, buckets: [0, 6, 0], chains: [3, 2, 8, 9]) == 9)
        #expect(try count(0, buckets: [1], chains: [2, 3]) == 2)
    }

    @Test func `without hashed symbols only those before the first are there`() throws {
        #expect(try count(4, buckets: [0], chains: []) == 4)
        #expect(try count(0, buckets: [0], chains: []) == 0)
        #expect(try count(0, buckets: [], chains: []) == 0)
        #expect(try count(4, buckets: [3], chains: []) == 4)
        #expect(try count(4, bloom: 0, buckets: [4], chains: [1]) == 5)
    }

    @Test func `a table that is cut off is refused`() {
        #expect(throws: ELFError.truncated(.hashTable, offset: 4, expected: 16, found: 15)) {
            try count(1, bloom: 0, buckets: [], chains: [], cut: 1)
        }
        #expect(throws: ELFError.truncated(.hashTable, offset: 28, expected: 12, found: 11)) {
            try count(1, buckets: [1, 0, 0], chains: [], cut: 1)
        }
        #expect(throws: ELFError.truncated(.hashTable, offset: 40, expected: 4, found: 0)) {
            try count(1, buckets: [1], chains: [2, 4])
        }
    }
}
