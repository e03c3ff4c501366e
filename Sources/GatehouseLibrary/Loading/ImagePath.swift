// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Names a descriptor by a path never before used in this process.
///
/// The loader compares the texts of paths before it opens anything, and descriptor numbers are reused: the plain
/// `/proc/self/fd/5` would silently give the image that was loaded through an earlier descriptor 5. The same file has
/// endless spellings, so each call writes its number in binary, with `/./` for a one and `//` for a zero.
enum ImagePath {
    /// How many paths this process has made.
    private static let count = Atomic<UInt64>(0)

    /// Returns a fresh spelling of the path of a descriptor; callable from any thread.
    static func next(for descriptor: Int32) -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        let digits = String(number, radix: 2).map { $0 == "1" ? "./" : "/" }.joined()
        return "/proc/self/fd/\(digits)\(descriptor)"
    }
}
