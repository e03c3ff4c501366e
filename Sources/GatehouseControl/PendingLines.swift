// SPDX-License-Identifier: Apache-2.0

/// Received bytes, taken line by line; each byte is examined and moved a bounded number of times.
package struct PendingLines {
    /// The received bytes; those before `start` are taken.
    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// The end of the bytes known to hold no line ending.
    private var searched = 0

    /// The most taken bytes kept in front of the others.
    private static let mostTaken = 1 << 16

    /// Creates an empty buffer.
    package init() {}

    /// The number of waiting bytes.
    package var count: Int { bytes.count - start }

    /// Appends received bytes.
    package mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

    /// Takes the next line without its ending; nil when none is complete.
    package mutating func next() -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        let line = Array(bytes[start..<end])
        start = end + 1
        if start == bytes.count {
            // An idle client keeps no memory.
            (bytes, start) = ([], 0)
        } else if start > Self.mostTaken {
            bytes.removeSubrange(..<start)
            start = 0
        }
        searched = start
        return line
    }
}
