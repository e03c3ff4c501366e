// SPDX-License-Identifier: Apache-2.0

import SeededTesting
import Testing

@testable import GatehouseLibrary

/// Reading must end with a value or an error whatever the bytes are; a trap ends the test run.
@Suite(.timeLimit(.minutes(10))) struct ELFHostilityTests {
    /// Builders that differ in the tables they lead the reader through.
    private static var builders: [ELFBuilder] {
        var sysV = ELFBuilder.complete
        sysV.hash = .sysV
        var aligned = ELFBuilder.complete
        aligned.noteAlignment = 8
        aligned.base = 0
        return [.complete, sysV, aligned]
    }

    /// Reads and forgets.
    ///
    /// - Returns: whether the bytes were accepted.
    private func accepts(_ bytes: [UInt8]) -> Bool {
        (try? ELFImage(reading: bytes)) != nil
    }

    @Test func `every truncation is refused`() {
        for builder in Self.builders {
            let bytes = builder.bytes()
            #expect(accepts(bytes))
            for length in bytes.indices {
                #expect(!accepts(Array(bytes.prefix(length))), "first \(length) of \(bytes.count) bytes")
            }
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `two thousand bit flips never trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var refused = 0
        for builder in Self.builders {
            let original = builder.bytes()
            for _ in 0..<2_000 {
                var bytes = original
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
                    bytes[bit / 8] ^= 1 << (bit % 8)
                }
                if !accepts(bytes) { refused += 1 }
            }
        }
        #expect(refused > 0, "seed \(seed)")
    }

    @Test(arguments: [5, 6] as [UInt64])
    func `fields set to extreme numbers never trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let extremes: [UInt64] = [0, 1, .max, .max - 1, 1 << 63, 1 << 32, (1 << 32) - 1, 0x1000]
        var refused = 0
        for builder in Self.builders {
            let original = builder.bytes()
            for start in stride(from: 0, to: original.count - 8, by: 4) {
                var bytes = original
                let number = extremes[Int.random(in: extremes.indices, using: &random)]
                for byte in 0..<8 { bytes[start + byte] = UInt8(truncatingIfNeeded: number >> (byte * 8)) }
                if !accepts(bytes) { refused += 1 }
            }
        }
        #expect(refused > 0, "seed \(seed)")
    }

    @Test func `names that overlap cannot exhaust memory`() {
        // 600 symbols all naming the same 60,000 bytes: 36 million from a file of 76 thousand.
        let name = String(repeating: "x", count: 60_000)
        var builder = ELFBuilder(symbols: [.init(name: name)], hash: .sysV, base: 0)
        builder.symbols += (0..<600).map { _ in .init(name: "") }
        var bytes = builder.bytes()
        // Symbols start after the strings; each begins with the 4-byte offset of its name.
        let first = bytes.count / 2
        var position = first
        var patched = 0
        while position + 24 <= bytes.count {
            let isSymbol =
                bytes[position + 4] == 0x10 && bytes[position + 6] == 1
                && bytes[position + 7...position + 23].allSatisfy { $0 == 0 }
            if isSymbol {
                for (index, byte) in [1, 0, 0, 0].enumerated() { bytes[position + index] = UInt8(byte) }
                patched += 1
                position += 24
            } else {
                position += 1
            }
        }
        #expect(patched > 560)
        #expect(throws: ELFError.self) { try ELFImage(reading: bytes) }
    }
}
