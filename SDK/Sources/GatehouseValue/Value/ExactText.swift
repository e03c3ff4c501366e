// SPDX-License-Identifier: Apache-2.0

/// A string that compares code point by code point, while `String` compares by canonical equivalence.
///
/// JSON names that differ in their code points are different names, even if they look alike.
struct ExactText: Hashable {
    /// The text, compared byte by byte.
    let text: String

    /// Wraps the text without copying it.
    init(_ text: String) { self.text = text }

    /// Returns whether every UTF-8 byte is equal.
    static func == (left: ExactText, right: ExactText) -> Bool {
        // The counts of nearly all different names already differ; equivalent texts are rare.
        left.text.utf8.count == right.text.utf8.count && left.text == right.text
            && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Uses the text's own hash: exactly equal texts are canonically equivalent, so they agree.
    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
