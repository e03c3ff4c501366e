// SPDX-License-Identifier: Apache-2.0

/// The effect of a change on one document.
struct DocumentChange {
    /// The document before; nil when it was not stored.
    let before: Document?
    /// The document after; nil when it is not stored.
    let after: Document?
    /// Either of them, for its name.
    let document: Document
}
