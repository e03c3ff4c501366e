// SPDX-License-Identifier: Apache-2.0

/// Reads JSON text strictly as defined by RFC 8259, in UTF-8, without byte order mark.
///
/// Repeated names in an object are legal there: `parse` keeps the last value, `parseLocated` every member.
/// Numbers beyond 64 bits and beyond `Double` keep their text; numbers too small for `Double` become zero.
public enum JSONText {
    /// The greatest depth of nested containers; bounds the stack for reading a text.
    public static let maximumDepth = 512

    /// Reads one value that fills the whole text.
    ///
    /// Safety: the bytes must stay valid and unchanged during the call.
    public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> Value {
        var scanner = unsafe JSONScanner(bytes)
        return try scanner.document { scanner throws(JSONSyntaxError) in try scanner.value() }
    }

    /// Reads one value that fills the whole text.
    public static func parse(_ bytes: [UInt8]) throws(JSONSyntaxError) -> Value {
        try unsafe bytes.span.bytes.withUnsafeBytes { buffer throws(JSONSyntaxError) in
            try unsafe parse(buffer)
        }
    }

    /// Reads one value that fills the whole text.
    public static func parse(_ text: String) throws(JSONSyntaxError) -> Value { try parse(Array(text.utf8)) }

    /// Reads one value that fills the whole text and keeps the position of each part.
    public static func parseLocated(_ bytes: [UInt8]) throws(JSONSyntaxError) -> LocatedValue {
        try parseLocated(bytes, allowsComments: false)
    }

    /// Reads one value in a text written by people: `//` and `/* */` comments count as white space.
    public static func parseLocatedWithComments(_ bytes: [UInt8]) throws(JSONSyntaxError) -> LocatedValue {
        try parseLocated(bytes, allowsComments: true)
    }

    /// Reads one value that fills the whole text, with or without comments.
    static func parseLocated(
        _ bytes: [UInt8], allowsComments: Bool
    ) throws(JSONSyntaxError) -> LocatedValue {
        try unsafe bytes.span.bytes.withUnsafeBytes { buffer throws(JSONSyntaxError) in
            var scanner = unsafe JSONScanner(buffer, allowsComments: allowsComments)
            return try scanner.document { scanner throws(JSONSyntaxError) in try scanner.locatedValue() }
        }
    }

    /// Reads one value that fills the whole text and keeps the position of each part.
    public static func parseLocated(_ text: String) throws(JSONSyntaxError) -> LocatedValue {
        try parseLocated(Array(text.utf8))
    }
}
