// SPDX-License-Identifier: Apache-2.0

/// A failed expectation of a test, and its place.
///
/// Thrown, so that it reaches every test framework; its description begins with file and line.
public struct TestFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The place of the expectation.
    public let place: TestPlace
    /// What was expected, what was found, what to do.
    public let text: String

    /// Creates a failure at a place.
    public init(_ text: String, at place: TestPlace) {
        self.place = place
        self.text = text
    }

    public var description: String { "\(place.file):\(place.line): \(text)" }
}

/// A line of a test.
public struct TestPlace: Equatable, Sendable {
    /// The module and file, in the form of `#fileID`.
    public let file: String
    /// The line, from 1.
    public let line: UInt
}
