// SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns the text, or as much of its beginning as fits into `limit` bytes of UTF-8, with an ellipsis.
    func cut(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = utf8.index(startIndex, offsetBy: limit)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }

    /// The text with control characters and line separators written as `\u{…}`.
    ///
    /// Types and file names come from outside; a line break in one must not look like a line of its own.
    var onOneLine: String {
        guard unicodeScalars.contains(where: Self.breaksLine) else { return self }
        return unicodeScalars.reduce(into: "") { line, scalar in
            if Self.breaksLine(scalar) {
                line += scalar.escaped(asASCII: true)
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns whether a terminal or a reader of lines would not just show the character: a control character or a separator, all of which
    /// Unicode has named for ever.
    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }
}
