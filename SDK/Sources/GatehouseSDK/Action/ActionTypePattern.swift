// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest

/// An action type, or a prefix of types followed by `*`; a string in settings.
///
/// ```swift
/// let pattern = try #require(ActionTypePattern("shop/*"))
/// #expect(pattern.matches("shop/paid") && !pattern.matches("till/paid"))
/// ```
public struct ActionTypePattern: Sendable, Hashable {
    /// The pattern of names.
    private let names: TypePattern
    /// The one type that matches; nil when a `*` follows the stem.
    private let exact: ActionType?

    /// Reads a pattern; nil if it is empty or has a `*` anywhere but at its end.
    public init?(_ text: String) {
        guard let names = TypePattern(text) else { return nil }
        self.init(names)
    }

    /// The pattern `*`, which every type matches.
    public static let all = ActionTypePattern(.everything)

    /// Creates a pattern, and looks up the type of its name.
    private init(_ names: TypePattern) {
        self.names = names
        exact = names.isOpen ? nil : ActionType(names.stem)
    }

    /// The text before the `*`, or the whole type.
    public var stem: String { names.stem }

    /// Returns whether the pattern covers a type, byte by byte; without a `*`, one comparison of integers.
    public func matches(_ type: ActionType) -> Bool {
        if let exact { return exact == type }
        // Reading the name of a type takes a lock.
        return names.stem.isEmpty || names.covers(type.name)
    }
}

extension ActionTypePattern: CustomStringConvertible {
    /// The pattern as written.
    public var description: String { names.description }
}

extension ActionTypePattern: Codable {
    /// Reads the pattern from a string; throws an error with its place for anything else.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let pattern = ActionTypePattern(text) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "an action type, with * at most at its end",
                found: Value.string(text).json())
        }
        self = pattern
    }

    /// Writes the pattern as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
