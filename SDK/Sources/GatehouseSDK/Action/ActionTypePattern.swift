// SPDX-License-Identifier: Apache-2.0

/// An action type, or with `*` at the end every type that begins with the text before it; a string in settings.
public struct ActionTypePattern: Sendable, Hashable {
    /// The text before the `*`, or the whole type.
    public let stem: String
    /// The one type that matches; nil when a `*` follows the stem.
    private let exact: ActionType?

    /// Reads a pattern; nil if it is empty or has a `*` anywhere but at its end.
    public init?(_ text: String) {
        let isOpen = text.utf8.last == UInt8(ascii: "*")
        let stem = isOpen ? String(text.dropLast()) : text
        guard !text.isEmpty, !stem.utf8.contains(UInt8(ascii: "*")) else { return nil }
        self.stem = stem
        exact = isOpen ? nil : ActionType(stem)
    }

    /// Every type.
    public static let all = ActionTypePattern()

    /// An empty stem with a `*` behind it.
    private init() {
        stem = ""
        exact = nil
    }

    /// Whether a type is covered, byte by byte; without a `*`, one comparison of integers.
    public func matches(_ type: ActionType) -> Bool {
        if let exact { return exact == type }
        return stem.isEmpty || type.name.utf8.starts(with: stem.utf8)
    }
}

extension ActionTypePattern: CustomStringConvertible {
    /// The pattern as written.
    public var description: String { exact == nil ? stem + "*" : stem }
}

extension ActionTypePattern: Codable {
    /// Reads the pattern from a string; anything that is no pattern is an error with its place.
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
