// SPDX-License-Identifier: Apache-2.0

import Testing

/// One row of a table of mistakes: what somebody writes, and what they are told.
struct Mistake: Sendable, CustomTestStringConvertible {
    /// The text in which the mistake is.
    let text: String
    /// What the parser says about it.
    let message: String

    var testDescription: String { text }

    /// A row; the parts of the message follow each other without anything between them.
    init(_ text: String, _ message: String...) {
        self.text = text
        self.message = message.joined()
    }
}
