// SPDX-License-Identifier: Apache-2.0

/// Which documents of a collection are wanted.
struct DocumentQuery: Codable, Hashable, Sendable {
    /// The name of the collection that is searched.
    let collection: String
    /// What ids begin with; nil for any.
    var prefix: String?
    /// The only ids; nil for any.
    var ids: [String]?

    /// Whether a document is wanted; texts are compared byte by byte, as the database does.
    func matches(_ document: Document) -> Bool {
        let id = document.id.utf8
        return document.collection.utf8.elementsEqual(collection.utf8)
            && prefix.map { id.starts(with: $0.utf8) } ?? true
            && ids?.contains { $0.utf8.elementsEqual(id) } ?? true
    }
}
