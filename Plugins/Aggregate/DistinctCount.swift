// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// An approximate number of different texts: a HyperLogLog with 1,024 registers and a standard error of 3.25 %.
///
/// Counts of parts merge to the count of the whole, which counts nothing twice.
struct DistinctCount: Codable, Sendable, Equatable {
    /// The number of registers, a power of two.
    static let registers = 1_024
    /// The standard error, as a fraction of the count.
    static let standardError = 0.0325

    /// For each register, one more than the most leading zeros of its hashes; empty before the first text.
    private var zeros: [UInt8] = []

    /// Creates an empty count.
    init() {}

    /// Adds a text.
    mutating func add(_ text: String) {
        if zeros.isEmpty { zeros = Array(repeating: 0, count: Self.registers) }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        // A journal has to give the same hash, so it is not seeded; its bits are mixed, because FNV's are uneven.
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        hash ^= hash >> 31
        let register = Int(hash % UInt64(Self.registers))
        let rest = hash / UInt64(Self.registers)
        zeros[register] = max(zeros[register], UInt8(rest.leadingZeroBitCount - 10 + 1))
    }

    /// Adds the texts of another count.
    mutating func merge(_ other: DistinctCount) {
        if zeros.isEmpty {
            zeros = other.zeros
        } else if !other.zeros.isEmpty {
            for index in zeros.indices { zeros[index] = max(zeros[index], other.zeros[index]) }
        }
    }

    /// The estimate, rounded.
    var estimate: Int {
        guard !zeros.isEmpty else { return 0 }
        let count = Double(Self.registers)
        let empty = zeros.count { $0 == 0 }
        let sum = zeros.reduce(0.0) { $0 + Double(sign: .plus, exponent: -Int($1), significand: 1) }
        let raw = 0.7213 / (1 + 1.079 / count) * count * count / sum
        // While there are empty registers, their number is more accurate.
        if raw <= 2.5 * count, empty > 0 { return Int((count * log(count / Double(empty))).rounded()) }
        return Int(raw.rounded())
    }

    /// Reads a character for each register; any other text counts as nothing seen.
    init(from decoder: any Decoder) throws {
        let bytes = Array(try decoder.singleValueContainer().decode(String.self).utf8)
        guard bytes.count == Self.registers, bytes.allSatisfy({ (48...103).contains($0) }) else { return }
        zeros = bytes.map { $0 - 48 }
    }

    /// Writes a character for each register.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(decoding: zeros.map { $0 + 48 }, as: UTF8.self))
    }
}
