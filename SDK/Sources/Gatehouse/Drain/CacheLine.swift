// SPDX-License-Identifier: Apache-2.0

/// Padding of one cache line, the unit in which processors exchange memory.
///
/// Placed between two groups of stored properties, it keeps threads that read one group from waiting for the thread that
/// writes the other.
struct CacheLine {
    /// 64 bytes, the size of a cache line.
    private let bytes: InlineArray<8, UInt64> = .init(repeating: 0)
}
