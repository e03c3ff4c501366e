// SPDX-License-Identifier: Apache-2.0

/// A report of outputs dropped because one input led to too many; made once, when the rest of that input's work is done.
public struct DrainCut<Element: Sendable>: Sendable {
    /// The limits on the work of one input.
    public enum Kind: Sendable {
        /// Outputs that each answer the previous one.
        case chain
        /// All outputs of one input, however they follow from each other.
        case actions
        /// The bytes of all outputs together.
        case bytes
    }

    /// The limit that was exceeded first.
    public let kind: Kind
    /// The number of outputs, or of their bytes, that the limit allows.
    public let limit: Int
    /// The input whose outputs were cut.
    public let input: Element
    /// The last outputs up to the first dropped one, oldest first.
    ///
    /// In a chain, each answers the one before; where the bytes are too many, it is the first dropped one alone.
    public let recent: [Element]
    /// The number of dropped outputs.
    public let dropped: Int
}
