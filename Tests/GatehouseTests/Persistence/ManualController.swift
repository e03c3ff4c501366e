// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// A controller of numbers whose answers the test gives.
struct ManualController: PersistenceController {
    /// What it says when it fails.
    struct Failure: Error, Codable, Hashable {
        let reason: String
    }

    /// Something that was asked of it.
    enum Call: Sendable {
        /// A change; answered by nil or by why it was not made.
        case change(PersistenceChange<Int>, answer: @Sendable (Failure?) -> Void)
        /// A live request; answered as often as the test wants.
        case request(String, Answers)
    }

    /// Tells what was asked.
    let calls: AsyncStream<Call>.Continuation

    func save(_ element: Int) async throws(Failure) { try await change(.save(element)) }

    func delete(_ element: Int) async throws(Failure) { try await change(.delete(element)) }

    func request(_ request: String) -> Answers {
        let answers = Answers()
        calls.yield(.request(request, answers))
        return answers
    }

    /// Waits for the test.
    private func change(_ change: PersistenceChange<Int>) async throws(Failure) {
        let failure = await withCheckedContinuation { continuation in
            _ = calls.yield(.change(change, answer: { continuation.resume(returning: $0) }))
        }
        if let failure { throw failure }
    }

    /// The answers of one live request.
    final class Answers: AsyncSequence, Sendable {
        typealias Element = PersistenceFetchResult<Int>
        typealias Failure = ManualController.Failure

        private let stream: AsyncStream<Result<Element, Failure>>
        private let continuation: AsyncStream<Result<Element, Failure>>.Continuation
        /// Fired when nobody listens any more.
        let stopped = Signal()

        init() {
            (stream, continuation) = AsyncStream.makeStream()
            continuation.onTermination = { [stopped] _ in stopped.fire() }
        }

        /// Tells the request an element that a controller found.
        func tell(_ result: Element) { continuation.yield(.success(result)) }

        /// Tells what changes from one list to another.
        func tell(from old: [Int], to new: [Int]) { tell(.difference(new.difference(from: old))) }

        /// Ends the request with an error.
        func fail(_ reason: String) { continuation.yield(.failure(Failure(reason: reason))) }

        /// Has nothing more to tell.
        func end() { continuation.finish() }

        func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator()) }

        struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<Result<Element, Failure>>.Iterator

            mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws(Failure) -> Element? {
                try await base.next(isolation: actor)?.get()
            }
        }
    }
}
