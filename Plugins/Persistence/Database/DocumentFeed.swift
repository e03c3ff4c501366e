// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// What one live request has yet to be told; belongs to the database.
final class DocumentFeed {
    /// What a live request is told at once.
    typealias Answer = PersistenceFetchResult<Document>

    /// The documents that are wanted.
    let query: DocumentQuery
    /// The ids of the documents the receiver knows, in order.
    private var ids: [String]
    /// What waits, in order, each with what is told when the receiver has dealt with it.
    private var waiting: [(answer: Answer, delivery: Delivery)] = []
    /// What the receiver is dealing with.
    private var current: Delivery?
    /// The receiver, while it waits.
    private var receiver: CheckedContinuation<Answer?, Never>?

    /// A feed whose receiver has been told some documents, in the order of their ids.
    init(_ query: DocumentQuery, knowing documents: [Document]) {
        self.query = query
        ids = documents.map(\.id)
    }

    /// Tells a change of a document that the query asks for; constant time apart from finding and moving ids.
    func tell(_ change: DocumentChange, _ delivery: Delivery) {
        guard query.matches(change.document), let answer = answer(change) else { return }
        delivery.begin()
        waiting.append((answer, delivery))
        if let receiver {
            self.receiver = nil
            receiver.resume(returning: next())
        }
    }

    /// Gives the receiver what comes next, or lets it wait; what it was given before it has dealt with.
    func next(_ receiver: CheckedContinuation<Answer?, Never>) {
        endCurrent()
        if waiting.isEmpty {
            self.receiver = receiver
        } else {
            receiver.resume(returning: next())
        }
    }

    /// Ends the feed: the receiver hears no more, and nobody waits for it.
    func close() {
        endCurrent()
        for (_, delivery) in waiting { delivery.end() }
        waiting = []
        receiver?.resume(returning: nil)
        receiver = nil
    }

    /// Takes what comes next.
    private func next() -> Answer {
        let (answer, delivery) = waiting.removeFirst()
        current = delivery
        return answer
    }

    /// The receiver has dealt with what it was given.
    private func endCurrent() {
        current?.end()
        current = nil
    }

    /// A change as the receiver is to be told; nil when nothing changed there.
    ///
    /// A document that another program stored or deleted is not what the receiver knows; then the way is not known either.
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
    /// The first index whose element the predicate holds for, where it holds for all behind it; O(log n).
    fileprivate func partitioningIndex(_ predicate: (String) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if predicate(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
