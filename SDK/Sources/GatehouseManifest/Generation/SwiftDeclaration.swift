// SPDX-License-Identifier: Apache-2.0

/// A type, type alias or extension in a Swift file, as far as reading an enum of actions needs it.
struct SwiftDeclaration {
    /// The keyword: `struct`, `class`, `actor`, `enum`, `protocol`, `extension` or `typealias`.
    let keyword: String
    /// The names from the file inwards; that of an extension as written.
    let path: [String]
    /// Modifiers, and attributes with their `@`, including those of all enclosing declarations.
    let modifiers: [String]
    /// Superclass and protocols; of a type alias, its target.
    let inherited: [String]
    /// Whether it or an enclosing declaration has type parameters or conditions.
    let isGeneric: Bool
    /// Whether it is inside `#if`.
    let isConditional: Bool
    /// Everything between its braces; indexed like the tokens of its file.
    let body: ArraySlice<String>
    /// The tokens of its file.
    let tokens: SwiftTokens
    /// The index of its name among them.
    let name: Int

    /// The keywords that begin a type or extension.
    static let keywords: Set<String> = ["struct", "class", "actor", "enum", "protocol", "extension"]

    /// The words that may precede a declaration.
    static let modifiers: Set<String> = [
        "public", "open", "package", "internal", "fileprivate", "private", "indirect", "final",
        "nonisolated",
    ]
}
