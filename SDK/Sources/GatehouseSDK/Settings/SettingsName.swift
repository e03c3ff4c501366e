// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// A name that an operator chooses in settings, such as that of a rule: 1 to 64 lower-case letters, digits and `-`.
///
/// Made for an object whose members have such names; read it by `names()` of its container.
public struct SettingsName: CodingKey, Hashable, Sendable {
    /// The name as written, valid or not.
    public let stringValue: String
    /// Always nil: elements without names have no place here.
    public var intValue: Int? { nil }

    /// Creates a name from any text.
    public init(stringValue: String) { self.stringValue = stringValue }

    /// Returns nil: a number is no name.
    public init?(intValue: Int) { nil }

    /// Whether the text is a valid name.
    fileprivate var isSuitable: Bool {
        (1...64).contains(stringValue.utf8.count)
            && stringValue.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
            }
    }
}

extension KeyedDecodingContainer where Key == SettingsName {
    /// Returns the names of the members, in the order written.
    ///
    /// - Throws: `CodingFailure` at the object, if a member's name is invalid.
    public func names() throws(CodingFailure) -> [SettingsName] {
        if let name = allKeys.first(where: { !$0.isSuitable }) {
            throw CodingFailure(
                at: codingPath, expected: "names of 1 to 64 lower-case letters, digits and -",
                found: Value.string(name.stringValue).json())
        }
        return allKeys
    }
}

extension KeyedDecodingContainer {
    /// Decodes a number within a range.
    ///
    /// - Throws: `CodingFailure` at a number outside it; and the errors of decoding.
    public func decode<Number: Decodable & Comparable>(
        _ type: Number.Type, forKey key: Key, in range: ClosedRange<Number>
    ) throws -> Number {
        let number = try decode(type, forKey: key)
        guard range.contains(number) else {
            throw CodingFailure(
                at: codingPath + [key], expected: "\(range.lowerBound) to \(range.upperBound)",
                found: "\(number)")
        }
        return number
    }
}
