// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

extension Persistence {
    /// The plugin's actions.
    enum Action: PluginAction {
        /// Stores a document, replacing the one with the same id.
        case save(collection: String, id: String, value: Value)
        /// Deletes a document; one that does not exist counts as deleted.
        case delete(collection: String, id: String)
        /// Starts a live request, replacing the one with the same token.
        case request(token: String?, collection: String, prefix: String?, ids: [String]?)
        /// Ends the live request with this token, or the one without.
        case cancel(token: String?)
        /// Ends all live requests.
        case cancelAll

        /// A document is stored.
        case saved(collection: String, id: String)
        /// A document is deleted.
        case deleted(collection: String, id: String)
        /// Something was not done; the message has the reason and the remedy.
        case failed(
            operation: Operation, reason: DocumentFailure.Reason, message: String, collection: String,
            id: String?, token: String?)
        /// All documents of a request, in the order of their ids.
        case received(token: String?, collection: String, documents: [Entry])
        /// The changes since the last answer to the request.
        case changed(token: String?, collection: String, saved: [Entry], deleted: [String])
        /// A live request has ended without being cancelled.
        case ended(token: String?)
    }

    /// The kinds of work that can fail.
    enum Operation: String, Codable, Sendable {
        /// Storing a document.
        case save
        /// Deleting a document.
        case delete
        /// Reading or watching documents.
        case request
    }

    /// A document of a known collection.
    struct Entry: Codable, Hashable, Sendable {
        /// Its name within the collection.
        let id: String
        /// The document's content, which may be any JSON.
        let value: Value

        /// Drops the collection of a document.
        init(_ document: Document) {
            id = document.id
            value = document.value
        }
    }
}

extension Persistence.Action {
    /// Whether the action reports a failure.
    var isError: Bool { if case .failed = self { true } else { false } }

    /// The corresponding action of the core; nil for outcomes.
    var request: DocumentController.Action? {
        switch self {
        case .save(let collection, let id, let value):
            .save(Document(collection: collection, id: id, value: value))
        case .delete(let collection, let id):
            .delete(Document(collection: collection, id: id, value: .null))
        case .request(let token, let collection, let prefix, let ids):
            .request(DocumentQuery(collection: collection, prefix: prefix, ids: ids), token: token)
        case .cancel(let token): .cancelRequest(token: token)
        case .cancelAll: .cancelAllRequests
        case .saved, .deleted, .failed, .received, .changed, .ended: nil
        }
    }

    /// Returns the action that an outcome reports as not done, and why; nil for any other outcome.
    static func undone(_ outcome: DocumentController.Action) -> (action: Self, reason: String)? {
        switch outcome {
        case .failed(let failure, .save(let document)): (Self(.save(document)), failure.message)
        case .failed(let failure, .delete(let document)): (Self(.delete(document)), failure.message)
        case .requestFailed(let failure, let query, let token):
            (Self(.request(query, token: token)), failure.message)
        default: nil
        }
    }

    /// Converts an action of the core to one for JSON.
    init(_ action: DocumentController.Action) {
        switch action {
        case .succeeded(.save(let document)): self = .saved(collection: document.collection, id: document.id)
        case .succeeded(.delete(let document)):
            self = .deleted(collection: document.collection, id: document.id)
        case .failed(let failure, let change):
            let isSave = if case .save = change { true } else { false }
            self = .failed(
                operation: isSave ? .save : .delete, reason: failure.reason, message: failure.message,
                collection: change.element.collection, id: change.element.id, token: nil)
        case .requestFailed(let failure, let query, let token):
            self = .failed(
                operation: .request, reason: failure.reason, message: failure.message,
                collection: query.collection, id: nil, token: token)
        case .received(.elements(let documents), let query, let token):
            self = .received(
                token: token, collection: query.collection, documents: documents.map(Persistence.Entry.init))
        case .received(.difference(let difference), let query, let token):
            self = Self.changed(token: token, query, difference)
        case .requestEnded(_, let token): self = .ended(token: token)
        case .save(let document):
            self = .save(collection: document.collection, id: document.id, value: document.value)
        case .delete(let document): self = .delete(collection: document.collection, id: document.id)
        case .request(let query, let token):
            self = .request(
                token: token, collection: query.collection, prefix: query.prefix, ids: query.ids)
        case .cancelRequest(let token): self = .cancel(token: token)
        case .cancelAllRequests: self = .cancelAll
        }
    }

    /// Converts a difference without its offsets, which documents in the order of their ids do not need.
    private static func changed(
        token: String?, _ query: DocumentQuery, _ difference: CollectionDifference<Document>?
    ) -> Persistence.Action {
        let saved = (difference?.insertions ?? []).map { Persistence.Entry($0.document) }
        let deleted = (difference?.removals ?? []).map(\.document.id).filter { id in
            !saved.contains { $0.id.utf8.elementsEqual(id.utf8) }
        }
        return .changed(token: token, collection: query.collection, saved: saved, deleted: deleted)
    }
}

extension CollectionDifference<Document>.Change {
    /// The inserted or removed document.
    fileprivate var document: Document {
        switch self {
        case .insert(_, let document, _), .remove(_, let document, _): document
        }
    }
}
