// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import GatehouseValue
import Glibc
import SeededTesting
import Testing

@testable import GatehouseLibrary

/// Libraries damaged at random: whatever they are, they are judged and described, soon and without a trap.
///
/// The environment variable `GATEHOUSE_MUTATIONS` sets how many there are; `make mutations` tries ten thousand.
@Suite(.serialized, .timeLimit(.minutes(120))) struct LibraryMutationTests {
    private static let count =
        unsafe getenv("GATEHOUSE_MUTATIONS").flatMap { unsafe Int(String(cString: $0)) } ?? 300

    /// Damages bytes in one of five ways.
    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let extremes: [UInt64] = [0, 1, .max, .max - 1, 1 << 63, 1 << 32, (1 << 32) - 1, 0x1000]
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            // Headers and tables are where damage leads a reader astray.
            for _ in 0..<Int.random(in: 1...16, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
            }
        case 1:
            bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
        case 2:
            let start = Int.random(in: 0..<bytes.count, using: &random)
            for index in start..<min(bytes.count, start + Int.random(in: 1...4_096, using: &random)) {
                bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            }
        case 3:
            let start = Int.random(in: 0..<bytes.count - 8, using: &random) & ~3
            let number = extremes[Int.random(in: extremes.indices, using: &random)]
            for byte in 0..<8 { bytes[start + byte] = UInt8(truncatingIfNeeded: number >> (byte * 8)) }
        default:
            let start = 64 + 8 * Int.random(in: 0..<63, using: &random)
            let number =
                UInt64.random(in: .min ... .max, using: &random) >> UInt64.random(in: 0..<64, using: &random)
            for byte in 0..<8 { bytes[start + byte] = UInt8(truncatingIfNeeded: number >> (byte * 8)) }
        }
    }

    /// The processor time of this thread, in seconds.
    private var processorTime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test(arguments: [1, 2] as [UInt64])
    func `a damaged library is judged and described within 50 ms`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let original = try FixtureLibrary("SilentEntry").bytes
        var slowest = 0.0
        var refused = 0
        for round in 0..<Self.count / 2 {
            var bytes = original
            mutate(&bytes, &random)
            let path = try folder.write(bytes, to: "lib.so")
            let start = processorTime
            let inspection = try LibraryInspection(path: path)
            let verdict = unsafe bytes.withUnsafeBytes { unsafe Verdict(judging: $0) }
            let text = inspection.text
            _ = inspection.value.json()
            let duration = processorTime - start
            slowest = max(slowest, duration)
            #expect(duration < 0.05, "seed \(seed), round \(round)")
            // Both read the same bytes in two ways.
            #expect(inspection.verdict.refusals == verdict.refusals, "seed \(seed), round \(round)")
            #expect(text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A }, "seed \(seed), round \(round)")
            if !verdict.isAccepted { refused += 1 }
        }
        print(
            "seed \(seed): \(Self.count / 2) damaged libraries, \(refused) refused, the slowest took \(slowest * 1_000) ms"
        )
        #expect(refused > Self.count / 10, "seed \(seed)")
    }
}
