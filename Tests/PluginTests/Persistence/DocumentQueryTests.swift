// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import PersistencePlugin

/// Texts are compared byte by byte: what looks alike is not the same document.
@Suite(.timeLimit(.minutes(10))) struct DocumentQueryTests {
    private let composed = "\u{E9}"
    private let decomposed = "e\u{301}"

    private func document(_ id: String) -> Document { Document(collection: "c", id: id, value: 1) }

    @Test func `a prefix is one of bytes`() {
        let matches = { (prefix: String, id: String) in
            DocumentQuery(collection: "c", prefix: prefix).matches(document(id))
        }
        #expect(matches("e", decomposed))
        #expect(!matches("e", composed))
        #expect(!matches(composed, decomposed))
        #expect(matches("", composed))
    }

    @Test func `ids and collections are compared by bytes`() {
        #expect(!DocumentQuery(collection: "c", ids: [composed]).matches(document(decomposed)))
        #expect(DocumentQuery(collection: "c", ids: [composed]).matches(document(composed)))
        #expect(
            !DocumentQuery(collection: decomposed).matches(Document(collection: composed, id: "a", value: 1)))
    }

    @Test func `a document that goes while one that looks alike comes is told as deleted`() throws {
        let difference = try #require(
            CollectionDifference<Document>([
                .remove(offset: 0, element: document(composed), associatedWith: nil),
                .insert(offset: 0, element: document(decomposed), associatedWith: nil),
            ]))
        let action = Persistence.Action(
            .received(.difference(difference), DocumentQuery(collection: "c"), token: nil))
        guard case .changed(_, _, let saved, let deleted) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(saved.map { Array($0.id.utf8) } == [Array(decomposed.utf8)])
        #expect(deleted.map { Array($0.utf8) } == [Array(composed.utf8)])
    }
}
