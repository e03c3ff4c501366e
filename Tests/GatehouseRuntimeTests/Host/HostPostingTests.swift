// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseRuntime

/// What a host takes in one turn of what was brought to it.
@Suite(.timeLimit(.minutes(10))) struct HostPostingTests {
    /// A host without plugins.
    private let host: Host

    init() throws { host = Host(try .empty(), reports: Reporter { _ in }) { _ in } }

    /// Begins a task that brings something, and returns it when that has arrived.
    private func bring(
        _ delivery: HostIngress.Delivery
    ) async -> Task<HostIngress.Receipt, any Error> {
        let posted = host.store.dependencies.posted
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        posted.onArrival { arrive.yield() }
        let task = Task {
            try await posted.post(
                delivery, from: ActionSource(file: "test", function: "", line: 0, info: nil))
        }
        for await _ in arrivals { break }
        return task
    }

    @Test func `an action is taken in one turn, and who brings it hears of that`() async throws {
        let task = await bring(.action(AnyAction("a/b")))
        host.processPosted()
        let receipt = try await task.value
        #expect(receipt.lines == 1)
        #expect(receipt.accepted == 1)
        #expect(host.store.dependencies.posted.take().isEmpty)
    }

    /// Knows every action already.
    private final class Knowing: Admission {
        var keepsFirst: Bool { false }
        var isFull: Bool { false }

        func take(
            _ action: consuming AnyAction, _ text: ActionText?, from source: ActionSource, to store: HostStore
        ) -> Bool { false }

        func dispatchTaken(to store: HostStore) throws(IngressError) {}
        func finish() throws(IngressError) {}
    }

    @Test func `what is known already is told as such, one action or lines`() async throws {
        host.admission = Knowing()
        let line = Array(#"{"type":"a/b"}"#.utf8)
        for delivery in [.action(AnyAction("a/b")), .lines(line, objection: nil)] as [HostIngress.Delivery] {
            let task = await bring(delivery)
            host.processPosted()
            let receipt = try await task.value
            #expect(receipt.lines == 1)
            #expect(receipt.accepted == 0)
            #expect(receipt.duplicates == 1)
        }
    }

    @Test func `of lines in one piece 1,024 are taken before others have their turn`() async throws {
        let text = String(repeating: #"{"type":"a/b"}"# + "\n", count: 1_030)
        let task = await bring(.lines(Array(text.utf8), objection: nil))
        host.processPosted()
        let posted = host.store.dependencies.posted
        let left = posted.take()
        #expect(left.map(\.receipt.lines) == [1_024])
        posted.keep(left, isReady: true)
        host.processPosted()
        let receipt = try await task.value
        #expect(receipt.lines == 1_030)
        #expect(receipt.accepted == 1_030)
    }

    @Test func `lines that are not taken are counted, and told with their numbers and reasons`() async throws
    {
        let text = #"{"type":"a/b"}"# + "\n" + #"{"type":"c/d"}"# + "\n\n{\n" + #"{"type":"a/b"}"#
        let task = await bring(
            .lines(Array(text.utf8), objection: { $0.name == "c/d" ? "nobody may" : nil }))
        host.processPosted()
        let receipt = try await task.value
        #expect(receipt.lines == 5)
        #expect(receipt.accepted == 2)
        #expect(receipt.refused == 2)
        #expect(receipt.refusals.map(\.line) == [2, 4])
        #expect(receipt.refusals.first?.reason == "c/d: nobody may")
    }
}
