// SPDX-License-Identifier: Apache-2.0

/// What a test expected and did not find, and where it said so.
///
/// Thrown, so that it reaches every test framework; its description begins with file and line.
public struct TestFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where the test says what it expects.
    public let place: TestPlace
    /// What was expected, what was found, what to do.
    public let text: String

    /// A failure at a place.
    public init(_ text: String, at place: TestPlace) {
        self.place = place
        self.text = text
    }

    public var description: String { "\(place.file):\(place.line): \(text)" }
}

/// A line of a test.
public struct TestPlace: Equatable, Sendable {
    /// Module and file, as `#fileID` gives it.
    public let file: String
    /// The line, from 1.
    public let line: UInt

    /// A line of a test.
    public init(file: String, line: UInt) {
        self.file = file
        self.line = line
    }
}
