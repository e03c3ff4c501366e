// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Takes lines from a descriptor that does not block.
struct LineListener {
    /// The beginning of a line whose end has not come.
    private var rest: [UInt8] = []

    /// The lines that are there, without their endings, and whether more may come.
    mutating func lines(from descriptor: Int32) -> (lines: [Substring], goesOn: Bool) {
        let goesOn = Self.read(descriptor, into: &rest)
        guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return ([], goesOn) }
        let text = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeSubrange(...end)
        return (text.split(separator: "\n"), goesOn)
    }

    /// What is there, as text, and whether more may come.
    static func text(from descriptor: Int32) -> (text: String, goesOn: Bool) {
        var bytes: [UInt8] = []
        let goesOn = read(descriptor, into: &bytes)
        return (String(decoding: bytes, as: UTF8.self), goesOn)
    }

    /// Takes what is there, 1 MiB at most at once; whether more may come.
    private static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        for _ in 0..<64 {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            if count == 0 { return false }
            if count < 0 { return errno == EAGAIN || errno == EINTR }
            bytes += chunk[..<count]
        }
        return true
    }
}
