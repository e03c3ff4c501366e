// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import HTTPPlugin

/// How many clients at once cost a host no more than a few.
@Suite(.timeLimit(.minutes(10))) struct SharedQuestionTests {
    /// A host that answers each question with its number, when the test lets it.
    private final class Host: Sendable {
        private let (questions, asked) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let count = Mutex(0)

        /// The host's side.
        var control: HostControl {
            HostControl { method, _ throws(HostControl.Failure) in
                let number = self.count.withLock { count in
                    count += 1
                    return count
                }
                await withCheckedContinuation { self.asked.yield($0) }
                guard number != 3 else { throw HostControl.Failure(code: -32603, message: "busy") }
                return ["method": .string(method), "number": Value(number)]
            } watch: { _ throws(HostControl.Failure) in
                throw HostControl.Failure(code: -32601, message: "nobody watches")
            }
        }

        /// Waits for the next question; resuming it lets it be answered.
        func question() async throws -> CheckedContinuation<Void, Never> {
            var all = questions.makeAsyncIterator()
            return try #require(await all.next())
        }
    }

    /// Begins to ask so many times; all wait when this returns.
    private func begin(
        _ count: Int, _ question: isolated SharedQuestion
    ) -> [Task<SharedQuestion.Answer, Never>] {
        (0..<count).map { _ in Task.immediate { await question.answer() } }
    }

    /// The numbers of the answers; 0 for a failure.
    private func numbers(_ tasks: [Task<SharedQuestion.Answer, Never>]) async -> Set<Int> {
        var all: Set<Int> = []
        for task in tasks { all.insert((try? await task.value.get())?["number"]?.intValue ?? 0) }
        return all
    }

    @Test func `clients share an answer that is begun after they have asked, and a failure too`() async throws
    {
        let host = Host()
        let question = SharedQuestion("metrics", to: host.control)
        let first = await begin(1, question)
        let asked = try await host.question()
        let during = await begin(50, question)
        asked.resume()
        #expect(await numbers(first) == [1])
        try await host.question().resume()
        #expect(await numbers(during) == [2])
        let after = await begin(7, question)
        try await host.question().resume()
        #expect(await numbers(after) == [0])
        #expect(host.count.withLock { $0 } == 3)
        let last = await begin(1, question)
        try await host.question().resume()
        #expect(await numbers(last) == [4])
    }
}
