// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// One difference between a value and its schema, with its place.
public struct SchemaViolation: Equatable, Sendable {
    /// The aspect in which the value differs.
    public enum Subject: Sendable {
        /// The kind of the value, or which of a few values it is.
        case form
        /// A key that has no meaning there.
        case key
        /// A detail of a value of the right form.
        case content
    }

    /// The place in the value; of an unknown key, the key's own.
    public let pointer: JSONPointer
    /// The aspect in which the value differs.
    public let subject: Subject
    /// What was expected and found, and the remedy, without the place.
    public let sentence: String
}

extension SchemaViolation: CustomStringConvertible {
    /// The sentence, without the place.
    public var description: String { sentence }
}
