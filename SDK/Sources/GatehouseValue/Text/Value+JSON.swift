// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// The value as JSON text.
    public func json(_ style: JSONStyle = .compact) -> String {
        var bytes: [UInt8] = []
        writeJSON(to: &bytes, style: style)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the value as JSON text in UTF-8.
    ///
    /// Doubles are written with the fewest digits that read back the same, whole ones with `.0` or an exponent,
    /// so that they stay doubles; a double that is not finite, which no text can hold, becomes null.
    public func writeJSON(to bytes: inout [UInt8], style: JSONStyle = .compact) {
        JSONWriter(style: style).write(self, indent: 0, to: &bytes)
    }
}

extension Value: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { json() }
}
