// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// The range of a number in settings.
public protocol SettingRange: Sendable {
    /// The range.
    static var range: ClosedRange<Int> { get }
}

/// A whole number within a range, for settings.
///
/// ```swift
/// @Bounded<Limits> var limit = 20
/// ```
@propertyWrapper
public struct Bounded<Range: SettingRange>: Codable, Sendable {
    /// The number.
    public var wrappedValue: Int

    /// Creates a number in code, unchecked; it must be within the range.
    public init(wrappedValue: Int) { self.wrappedValue = wrappedValue }

    /// Reads the plain number; throws an error with its place for one out of range.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Int.self)
        guard Range.range.contains(wrappedValue) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "\(Range.range.lowerBound) to \(Range.range.upperBound)",
                found: "\(wrappedValue)")
        }
    }

    /// Writes the plain number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}
