// SPDX-License-Identifier: Apache-2.0

/// A selection of a collection's documents.
struct DocumentQuery: Codable, Hashable, Sendable {
    /// The name of the collection.
    let collection: String
    /// The prefix of ids; nil for any.
    var prefix: String?
    /// The only ids; nil for any.
    var ids: [String]?

    /// Returns whether a document is selected; compares texts byte by byte, as the database does.
    func matches(_ document: Document) -> Bool {
        let id = document.id.utf8
        return document.collection.utf8.elementsEqual(collection.utf8)
            && prefix.map { id.starts(with: $0.utf8) } ?? true
            && ids?.contains { $0.utf8.elementsEqual(id) } ?? true
    }
}
