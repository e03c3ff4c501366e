// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// Returns the value as JSON text.
    public func json(_ style: JSONStyle = .compact) -> String {
        var bytes: [UInt8] = []
        writeJSON(to: &bytes, style: style)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the value as JSON text in UTF-8.
    ///
    /// Doubles have the fewest digits that read back the same. Whole ones get `.0` or an exponent, so that they stay
    /// doubles. A double that is not finite, which no text can hold, becomes null.
    public func writeJSON(to bytes: inout [UInt8], style: JSONStyle = .compact) {
        JSONWriter(style: style).write(self, indent: 0, to: &bytes)
    }

    /// The value for a message, on one line: a scalar as JSON, cut after 60 characters, a container by its kind.
    public var quoted: String {
        switch self {
        case .array, .object: return kindName
        case .string(let text):
            let scalars = text.unicodeScalars
            guard scalars.count > 60 else { return json() }
            return Value.string(String(String.UnicodeScalarView(scalars.prefix(60))) + "…").json()
        default:
            // A number may have thousands of digits.
            let text = json()
            return text.utf8.count > 60 ? text.prefix(60) + "…" : text
        }
    }
}

extension Value: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { json() }
}
