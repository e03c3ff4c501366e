// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization

/// A controller that keeps numbers in memory, in order, and tells each change to its live requests.
final class MemoryController: PersistenceController {
    /// What is guarded by the lock.
    private struct Content {
        var numbers: [Int] = []
        var listeners: [AsyncStream<PersistenceFetchResult<Int>>.Continuation] = []
        var batches: [Int] = []
    }

    private let content = Mutex(Content())

    let batchLimit = 256

    /// The numbers in order.
    var numbers: [Int] { content.withLock { $0.numbers } }

    /// How many changes came at once, each time.
    var batches: [Int] { content.withLock { $0.batches } }

    func save(_ element: Int) async { change(.save(element)) }

    func delete(_ element: Int) async { change(.delete(element)) }

    /// All numbers; what is asked does not matter.
    func request(_ request: Int) -> AsyncStream<PersistenceFetchResult<Int>> {
        let (stream, continuation) = AsyncStream<PersistenceFetchResult<Int>>.makeStream()
        content.withLock { content in
            content.listeners.append(continuation)
            _ = continuation.yield(.elements(content.numbers))
        }
        return stream
    }

    func perform(_ changes: [PersistenceChange<Int>]) async -> [Never?] {
        content.withLock { $0.batches.append(changes.count) }
        return changes.map {
            change($0)
            return nil
        }
    }

    private func change(_ change: PersistenceChange<Int>) {
        content.withLock { content in
            let before = content.numbers
            content.numbers.removeAll { $0 == change.element }
            if case .save(let number) = change {
                let place = content.numbers.firstIndex { $0 > number } ?? content.numbers.endIndex
                content.numbers.insert(number, at: place)
            }
            let difference = content.numbers.difference(from: before)
            for listener in content.listeners { listener.yield(.difference(difference)) }
        }
    }
}
