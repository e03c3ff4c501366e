// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization

/// What a shelf keeps; it says how keeping it fails and how it is asked for, so that a shelf has one type to specify.
protocol Shelved: Sendable, Equatable {
    associatedtype Failure: Error
    associatedtype Query: Sendable

    /// Why it cannot be kept; nil when it can.
    var refusal: Failure? { get }

    /// Whether a query asks for it.
    func answers(_ query: Query) throws(Failure) -> Bool
}

/// Keeps elements in memory, in order of arrival.
final class ShelfController<Element: Shelved>: PersistenceController {
    typealias Kept = Element
    typealias Answer = Result<PersistenceFetchResult<Kept>, Kept.Failure>

    /// A live request, with what it was told.
    private struct Listener {
        let query: Element.Query
        var elements: [Element]
        let answers: AsyncStream<Answer>.Continuation
    }

    /// What is guarded by the lock.
    private struct Content {
        var elements: [Element] = []
        var listeners: [Listener] = []
    }

    let name: String
    private let content = Mutex(Content())

    init(name: String) { self.name = name }

    func save(_ element: Element) async throws(Element.Failure) {
        if let refusal = element.refusal { throw refusal }
        change { $0.append(element) }
    }

    func delete(_ element: Element) async throws(Element.Failure) {
        change { elements in elements.removeAll { $0 == element } }
    }

    func request(_ query: Element.Query) -> Results {
        let (stream, continuation) = AsyncStream<Answer>.makeStream()
        content.withLock { content in
            do throws(Element.Failure) {
                let elements = try Self.elements(content.elements, for: query)
                content.listeners.append(Listener(query: query, elements: elements, answers: continuation))
                continuation.yield(.success(.elements(elements)))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        return Results(stream: stream)
    }

    /// Changes the elements and tells the live requests.
    private func change(_ body: (inout [Element]) -> Void) {
        content.withLock { content in
            body(&content.elements)
            for index in content.listeners.indices {
                let listener = content.listeners[index]
                do throws(Element.Failure) {
                    let elements = try Self.elements(content.elements, for: listener.query)
                    let difference = elements.difference(from: listener.elements)
                    listener.answers.yield(.success(.difference(difference)))
                    content.listeners[index].elements = elements
                } catch {
                    listener.answers.yield(.failure(error))
                }
            }
        }
    }

    /// Those that a query asks for.
    private static func elements(
        _ elements: [Element], for query: Element.Query
    ) throws(Element.Failure) -> [Element] {
        var answers: [Element] = []
        for element in elements where try element.answers(query) { answers.append(element) }
        return answers
    }

    /// The answers of one live request.
    struct Results: AsyncSequence, Sendable {
        typealias Element = PersistenceFetchResult<Kept>
        typealias Failure = Kept.Failure

        fileprivate let stream: AsyncStream<Answer>

        func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<Answer>.Iterator

            mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws(Kept.Failure) -> PersistenceFetchResult<Kept>? {
                try await base.next(isolation: actor)?.get()
            }
        }
    }
}
