// SPDX-License-Identifier: Apache-2.0

internal import Testing

/// One row of a table of mistakes: what somebody writes, and what they are told.
package struct Mistake: Sendable, CustomTestStringConvertible {
    /// The text in which the mistake is.
    package let text: String
    /// What the parser says about it.
    package let message: String

    package var testDescription: String { text }

    /// A row; the parts of the message follow each other without anything between them.
    package init(_ text: String, _ message: String...) {
        self.text = text
        self.message = message.joined()
    }
}
