// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Why a signature that lies beside a file does not speak for it.
package enum SignatureError: Error, Equatable, Sendable {
    /// It cannot be read; the system's words.
    case unreadable(String)
    /// It has another number of lines.
    case lines(Int)
    /// A line, counted from 1, is something else.
    case line(Int, expected: String)
    /// It was made in a way that minisign has left.
    case legacy
    /// The key has not signed these bytes.
    case otherBytes(key: String)
    /// The key has signed these bytes with another comment.
    case otherComment(key: String)
    /// The comment is not one of Gatehouse.
    case foreignComment(String)
    /// The comment is about something else.
    case otherSubject(field: String, signed: String, found: String)
    /// The key may not speak for this plugin.
    case outOfScope(key: String, plugin: String)
}

extension SignatureError: CustomStringConvertible {
    /// What is wrong and what to do, without a subject.
    package var description: String {
        switch self {
        case .unreadable(let reason): "its signature cannot be read: \(reason)"
        case .lines(let count):
            "its signature has \(count) \(count == 1 ? "line" : "lines"), expected 4; \(Self.again)"
        case .line(let number, let expected):
            "its signature, line \(number): expected \(expected), found something else; \(Self.again)"
        case .legacy:
            "its signature has the form that minisign wrote before version 0.10; sign it again with a newer one"
        case .otherBytes(let key):
            "its signature by \(Quotation.of(key)) is for other bytes: one of the two has changed; \(Self.again)"
        case .otherComment(let key):
            "the comment of its signature by \(Quotation.of(key)) has changed since it was signed; \(Self.again)"
        case .foreignComment(let comment):
            "its signature says \(Quotation.of(comment)), which is not how a host wants it; sign it with gatehouse sign"
        case .otherSubject(let field, let signed, let found):
            "its signature is for the \(field) \(Quotation.bare(signed)), found \(Quotation.bare(found)); sign this one"
        case .outOfScope(let key, let plugin):
            "\"trust\" does not let the key \(Quotation.of(key)) sign the plugin \(plugin); add \(Quotation.of(plugin)) to the key's \"plugins\", or have another key sign it"
        }
    }

    /// What to do about a pair that does not belong together.
    private static let again = "get both again from whoever signs it, or sign it again with gatehouse sign"
}
