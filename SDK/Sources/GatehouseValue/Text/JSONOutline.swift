// SPDX-License-Identifier: Apache-2.0

/// What stands directly in a long text; the rest of it was checked, and takes no memory until somebody reads it.
public struct JSONOutline: Sendable {
    /// The value of the text. Containers in it are empty, whatever they hold, and so is a root that is an array.
    public let root: LocatedValue
    /// Where the value of each member of `root` stands in the text, in bytes.
    private let parts: [Range<Int>]
    /// The bytes of the text in which the root stands.
    private let whole: Range<Int>

    /// A text whose values stand at these places.
    init(root: LocatedValue, parts: [Range<Int>], whole: Range<Int>) {
        self.root = root
        self.parts = parts
        self.whole = whole
    }

    /// A copy of the text of the root, from the bytes that the outline was made of.
    public func text(in bytes: UnsafeRawBufferPointer) -> CheckedText {
        unsafe CheckedText(bytes: [UInt8](bytes[whole]))
    }

    /// A copy of the text of the last member with a name; nil when there is none.
    public func text(of name: String, in bytes: UnsafeRawBufferPointer) -> CheckedText? {
        guard case .object(let members) = root.content,
            let index = members.lastIndex(where: { ExactText($0.key) == ExactText(name) })
        else { return nil }
        return unsafe CheckedText(bytes: [UInt8](bytes[parts[index]]))
    }
}

/// The text of one JSON value, known to be right.
public struct CheckedText: Sendable {
    /// The bytes of the text that is outlined.
    let bytes: [UInt8]

    /// How many they are.
    public var size: Int { bytes.count }
}

extension JSONText {
    /// Checks a whole text, and reads the root with its first members; further ones are left out.
    ///
    /// Takes memory for the members it gives and for one text in it at a time. The bytes must stay valid and unchanged
    /// during the call.
    public static func outline(
        _ bytes: UnsafeRawBufferPointer, members limit: Int
    ) throws(JSONSyntaxError) -> JSONOutline {
        var scanner = unsafe JSONScanner(bytes)
        return try scanner.document { scanner throws(JSONSyntaxError) in try scanner.outline(members: limit) }
    }

    /// The part of a text that a pointer leads to, without what is in it, and whether there is one; otherwise the innermost
    /// part on the way. Of repeated names the last one counts. The text must be right.
    public static func part(
        at pointer: JSONPointer, of bytes: UnsafeRawBufferPointer
    ) throws(JSONSyntaxError) -> (part: LocatedValue, isThere: Bool) {
        var scanner = unsafe JSONScanner(bytes)
        return try scanner.document { scanner throws(JSONSyntaxError) in
            try scanner.part(at: pointer.tokens[...])
        }
    }
}
