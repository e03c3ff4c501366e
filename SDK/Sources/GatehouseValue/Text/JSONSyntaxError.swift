// SPDX-License-Identifier: Apache-2.0

/// Why a text is not JSON, and where.
public struct JSONSyntaxError: Error, Equatable, Sendable {
    /// The position of the first wrong character.
    public let position: TextPosition
    /// The mistake.
    public let reason: Reason

    /// Creates an error from its parts.
    public init(position: TextPosition, reason: Reason) {
        self.position = position
        self.reason = reason
    }
}

extension JSONSyntaxError: CustomStringConvertible {
    /// Position and sentence: "1:9: expected ',' or '}', found 'x'".
    public var description: String { "\(position): \(reason)" }
}
