// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// A setting written as a text of some form, such as a path or an address.
///
/// A type says which texts it takes; reading and writing settings follow from that.
public protocol SettingText: Codable, Sendable {
    /// The form, for the error about any other text: "a name for a file, without slashes".
    static var expected: String { get }
    /// The text as written.
    var text: String { get }

    /// Reads a text; nil for one of another form.
    init?(_ text: String)
}

extension SettingText {
    /// Reads the text; throws an error with its place for one of another form.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let setting = Self(text) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: Self.expected, found: Value.string(text).json())
        }
        self = setting
    }

    /// Writes the plain text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The name of a file within a folder, for settings: not empty, without slashes and zeros, and not the name of a folder.
///
/// ```swift
/// @FileName var file = "actions.ndjson"
/// ```
@propertyWrapper
public struct FileName: SettingText {
    public static var expected: String { "a name for a file, without slashes" }

    /// The name.
    public let wrappedValue: String
    /// The name.
    public var text: String { wrappedValue }

    /// Creates a name in code, unchecked; it must be valid.
    public init(wrappedValue: String) { self.wrappedValue = wrappedValue }

    public init?(_ text: String) {
        let isName =
            !["", ".", ".."].contains(text) && !text.utf8.contains { [0, UInt8(ascii: "/")].contains($0) }
        guard isName else { return nil }
        wrappedValue = text
    }
}

/// The type of an action for a plugin to emit, in settings: one type, without `*`.
public struct EmittedType: SettingText {
    public static var expected: String { "one action type without *" }

    /// The type.
    public let type: ActionType
    /// Its name.
    public var text: String { type.name }

    public init?(_ text: String) {
        guard Self.isOne(text) else { return nil }
        type = ActionType(text)
    }

    /// Returns whether a text is the name of one type.
    public static func isOne(_ text: String) -> Bool {
        !text.isEmpty && !text.utf8.contains(UInt8(ascii: "*"))
    }
}
