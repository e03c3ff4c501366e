// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK

/// The pending answers of one live request; belongs to the database.
final class DocumentFeed {
    /// One answer to a live request.
    typealias Answer = PersistenceFetchResult<Document>

    /// The selection of documents.
    let query: DocumentQuery
    /// The ids of the documents known to the receiver, in order.
    private var ids: [String]
    /// The pending answers, in order, each with its delivery.
    private var waiting: [(answer: Answer, delivery: DispatchGroup)] = []
    /// The delivery of the answer being processed.
    private var current: DispatchGroup?
    /// The receiver, while it waits.
    private var receiver: CheckedContinuation<Answer?, Never>?

    /// Creates a feed whose receiver knows some documents, in the order of their ids.
    init(_ query: DocumentQuery, knowing documents: [Document]) {
        self.query = query
        ids = documents.map(\.id)
    }

    /// Adds a change of a selected document; constant time apart from finding and moving ids.
    func tell(_ change: DocumentChange, _ delivery: DispatchGroup) {
        guard query.matches(change.document), let answer = answer(change) else { return }
        delivery.enter()
        waiting.append((answer, delivery))
        if let receiver {
            self.receiver = nil
            receiver.resume(returning: next())
        }
    }

    /// Gives the receiver the next answer, or makes it wait; confirms its previous answer.
    func next(_ receiver: CheckedContinuation<Answer?, Never>) {
        endCurrent()
        if waiting.isEmpty {
            self.receiver = receiver
        } else {
            receiver.resume(returning: next())
        }
    }

    /// Ends the feed: the receiver gets no more, and nobody waits for it.
    func close() {
        endCurrent()
        for (_, delivery) in waiting { delivery.leave() }
        waiting = []
        receiver?.resume(returning: nil)
        receiver = nil
    }

    /// Takes the next answer.
    private func next() -> Answer {
        let (answer, delivery) = waiting.removeFirst()
        current = delivery
        return answer
    }

    /// Confirms that the receiver has processed its answer.
    private func endCurrent() {
        current?.leave()
        current = nil
    }

    /// Converts a change to an answer; nil when nothing changed for the receiver.
    ///
    /// If another program changed the document, the receiver's knowledge is wrong, and the difference unknown.
    private func answer(_ change: DocumentChange) -> Answer? {
        let id = change.document.id.utf8
        let offset = ids.partitioningIndex { !$0.utf8.lexicographicallyPrecedes(id) }
        let isKnown = offset < ids.count && ids[offset].utf8.elementsEqual(id)
        guard isKnown == (change.before != nil) else { return .difference(nil) }
        var changes: [CollectionDifference<Document>.Change] = []
        if let before = change.before {
            changes.append(.remove(offset: offset, element: before, associatedWith: nil))
        }
        if let after = change.after {
            changes.append(.insert(offset: offset, element: after, associatedWith: nil))
            if !isKnown { ids.insert(change.document.id, at: offset) }
        } else if isKnown {
            ids.remove(at: offset)
        }
        return changes.isEmpty ? nil : .difference(CollectionDifference(changes))
    }
}

extension [String] {
    /// Returns the first index whose element satisfies the predicate, which must hold for all after it; O(log n).
    fileprivate func partitioningIndex(_ predicate: (String) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
