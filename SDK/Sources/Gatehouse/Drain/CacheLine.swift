// SPDX-License-Identifier: Apache-2.0

/// As many bytes as processors hand to each other at once, with nothing in them.
///
/// Between two groups of stored properties it keeps threads that read the one from waiting for the thread that writes the
/// other.
struct CacheLine {
    /// Room of 64 bytes, the size of a cache line.
    private let bytes: InlineArray<8, UInt64> = .init(repeating: 0)
}
