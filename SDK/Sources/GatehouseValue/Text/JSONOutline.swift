// SPDX-License-Identifier: Apache-2.0

/// The outermost values of a long text; the rest is checked, and takes no memory until somebody reads it.
public struct JSONOutline: Sendable {
    /// The value of the text. Containers in it are empty, regardless of their content, and so is a root that is an array.
    public let root: LocatedValue
    /// The range of each value of `root`'s members in the text, in bytes.
    private let parts: [Range<Int>]
    /// The range of the root in the text, in bytes.
    private let whole: Range<Int>

    /// Creates an outline from values and their ranges.
    init(root: LocatedValue, parts: [Range<Int>], whole: Range<Int>) {
        self.root = root
        self.parts = parts
        self.whole = whole
    }

    /// Copies the text of the root from the outlined bytes.
    public func text(in bytes: UnsafeRawBufferPointer) -> CheckedText {
        unsafe CheckedText(bytes: [UInt8](bytes[whole]))
    }

    /// Copies the text of the last member with a name; nil when there is none.
    public func text(of name: String, in bytes: UnsafeRawBufferPointer) -> CheckedText? {
        guard case .object(let members) = root.content,
            let index = members.lastIndex(where: { ExactText($0.key) == ExactText(name) })
        else { return nil }
        return unsafe CheckedText(bytes: [UInt8](bytes[parts[index]]))
    }
}

/// The text of one JSON value, known to be valid.
public struct CheckedText: Sendable {
    /// The bytes of the text.
    let bytes: [UInt8]

    /// The number of bytes.
    public var size: Int { bytes.count }
}

extension JSONText {
    /// Checks a whole text, and reads the root with its first members; omits further ones.
    ///
    /// Takes memory for the members it returns and for one text in it at a time. The bytes must stay valid and unchanged
    /// during the call.
    public static func outline(
        _ bytes: UnsafeRawBufferPointer, members limit: Int
    ) throws(JSONSyntaxError) -> JSONOutline {
        var scanner = unsafe JSONScanner(bytes)
        return try scanner.document { scanner throws(JSONSyntaxError) in try scanner.outline(members: limit) }
    }

    /// Returns the part of a text at a pointer, without its content, and whether there is one; otherwise the innermost part
    /// on the way.
    ///
    /// The last of repeated names counts. The text must be valid.
    public static func part(
        at pointer: JSONPointer, of bytes: UnsafeRawBufferPointer
    ) throws(JSONSyntaxError) -> (part: LocatedValue, isThere: Bool) {
        var scanner = unsafe JSONScanner(bytes)
        return try scanner.document { scanner throws(JSONSyntaxError) in
            try scanner.part(at: pointer.tokens[...])
        }
    }
}
