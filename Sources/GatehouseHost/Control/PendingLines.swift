// SPDX-License-Identifier: Apache-2.0

/// Bytes that came, taken line by line; each byte is looked at and moved a bounded number of times.
public struct PendingLines {
    /// What came; what is before `start` is taken.
    private var bytes: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// Up to here there is no end of a line.
    private var searched = 0

    /// So many taken bytes may lie in front of the others.
    private static let mostTaken = 1 << 16

    /// A buffer into which nothing has come.
    public init() {}

    /// How many bytes wait.
    public var count: Int { bytes.count - start }

    /// Appends bytes as they came from the connection.
    public mutating func append(_ more: ArraySlice<UInt8>) { bytes += more }

    /// Takes the next line, without its ending; nil when none is whole.
    public mutating func next() -> [UInt8]? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        let line = Array(bytes[start..<end])
        start = end + 1
        if start == bytes.count {
            // Nothing is held for who is idle.
            (bytes, start) = ([], 0)
        } else if start > Self.mostTaken {
            bytes.removeSubrange(..<start)
            start = 0
        }
        searched = start
        return line
    }
}
