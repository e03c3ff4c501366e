// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// One thing in which a value differs from its schema, and where.
public struct SchemaViolation: Equatable, Sendable {
    /// What is looked at to find the difference.
    public enum Subject: Sendable {
        /// What the value is: its kind, or which of a few values.
        case form
        /// A key that has no meaning there.
        case key
        /// Something about a value of the right form.
        case content
    }

    /// The place in the value; of an unknown key, the key's own.
    public let pointer: JSONPointer
    /// What is looked at.
    public let subject: Subject
    /// What was expected, what was found and what to do, without the place.
    public let sentence: String
}

extension SchemaViolation: CustomStringConvertible {
    /// The sentence, without the place.
    public var description: String { sentence }
}
