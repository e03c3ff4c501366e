// SPDX-License-Identifier: Apache-2.0

/// What was dropped because one input led to more outputs than it may; told once, when all that is left of it is done.
public struct DrainCut<Element: Sendable>: Sendable {
    /// The limits of the work of one input.
    public enum Kind: Sendable {
        /// Outputs emitted one in answer to the other.
        case chain
        /// All outputs that one input leads to, however they follow from each other.
        case actions
        /// The bytes of all outputs together.
        case bytes
    }

    /// The limit that was passed first.
    public let kind: Kind
    /// The number of outputs, or bytes of them, that the limit allows.
    public let limit: Int
    /// The input whose outputs were cut.
    public let input: Element
    /// The last outputs up to the first that was dropped, oldest first; of a chain, each was emitted in answer to the one
    /// before; where bytes are too many, the first that was dropped.
    public let recent: [Element]
    /// How many outputs were dropped.
    public let dropped: Int
}
