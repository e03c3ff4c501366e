// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// A name that an operator chooses in settings, such as that of a rule: 1 to 64 lower-case letters, digits and `-`.
///
/// Made for an object in which each member has such a name, and read by `names()` of its container.
public struct SettingsName: CodingKey, Hashable, Sendable {
    /// The name as written, whether it is suitable or not.
    public let stringValue: String
    /// None: elements without names have no place here.
    public var intValue: Int? { nil }

    /// Takes any text.
    public init(stringValue: String) { self.stringValue = stringValue }

    /// Nil: a number is no name.
    public init?(intValue: Int) { nil }

    /// Whether it may be a name.
    private var isSuitable: Bool {
        (1...64).contains(stringValue.utf8.count)
            && stringValue.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-")
            }
    }

    /// The first of the names that is none; nil if all are.
    fileprivate static func firstUnsuitable(of names: [SettingsName]) -> SettingsName? {
        names.first { !$0.isSuitable }
    }
}

extension KeyedDecodingContainer where Key == SettingsName {
    /// The names of the members, in the order written.
    ///
    /// - Throws: `CodingFailure` at the object, if a member is called otherwise.
    public func names() throws(CodingFailure) -> [SettingsName] {
        if let name = SettingsName.firstUnsuitable(of: allKeys) {
            throw CodingFailure(
                at: codingPath, expected: "names of 1 to 64 lower-case letters, digits and -",
                found: Value.string(name.stringValue).json())
        }
        return allKeys
    }
}

extension KeyedDecodingContainer {
    /// A number within a range.
    ///
    /// - Throws: `CodingFailure` at the number, if it is another one; and what decoding throws.
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
