// SPDX-License-Identifier: Apache-2.0

/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Equatable, Sendable {
    /// Where the first wrong character is.
    public let position: TextPosition
    /// What is wrong there.
    public let reason: Reason

    /// Takes both as they are.
    public init(position: TextPosition, reason: Reason) {
        self.position = position
        self.reason = reason
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// Position and sentence: "1:9: expected ',' or '}', found 'x'".
    public var description: String { "\(position): \(reason)" }
}
