// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// What a host takes in one turn of what was brought to it.
@Suite(.timeLimit(.minutes(10))) struct HostPostingTests {
    @Test func `of lines in one piece 1,024 are taken before others have their turn`() async throws {
        let host = Host(try .empty(), reports: Reporter { _ in }) { _ in }
        let posted = host.store.dependencies.posted
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        posted.onArrival { arrive.yield() }
        let text = String(repeating: #"{"type":"a/b"}"# + "\n", count: 1_030)
        let task = Task {
            try await posted.post(
                .lines(Array(text.utf8), objection: nil),
                from: ActionSource(file: "test", function: "", line: 0, info: nil))
        }
        for await _ in arrivals { break }
        host.processPosted()
        let left = posted.take()
        #expect(left.map(\.receipt.lines) == [1_024])
        posted.keep(left, isReady: true)
        host.processPosted()
        let receipt = try await task.value
        #expect(receipt.lines == 1_030)
        #expect(receipt.accepted == 1_030)
    }
}
