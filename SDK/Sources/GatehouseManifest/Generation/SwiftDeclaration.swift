// SPDX-License-Identifier: Apache-2.0

/// A type, type alias or extension that a Swift file declares, as far as reading an enum of actions asks.
struct SwiftDeclaration {
    /// The keyword: `struct`, `class`, `actor`, `enum`, `protocol`, `extension` or `typealias`.
    let keyword: String
    /// The names from the file inwards; that of an extension as written.
    let path: [String]
    /// Modifiers, and attributes with their `@`; those of all declarations around it included.
    let modifiers: [String]
    /// What it inherits from or conforms to; of a type alias, what it stands for.
    let inherited: [String]
    /// Whether it has type parameters or conditions, itself or around it.
    let isGeneric: Bool
    /// Whether it stands inside `#if`.
    let isConditional: Bool
    /// Everything between its braces; indexed like the tokens of its file.
    let body: ArraySlice<String>
    /// The tokens of the file in which the declaration stands.
    let tokens: SwiftTokens
    /// The index of its name among them.
    let name: Int

    /// The keywords that begin a type or extension.
    static let keywords: Set<String> = ["struct", "class", "actor", "enum", "protocol", "extension"]

    /// The words that may stand in front of a declaration.
    static let modifiers: Set<String> = [
        "public", "open", "package", "internal", "fileprivate", "private", "indirect", "final",
        "nonisolated",
    ]
}
