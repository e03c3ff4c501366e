// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseRuntime

/// How many requests of one instance the host has in hand.
@Suite(.timeLimit(.minutes(10))) struct ControlTurnsTests {
    /// A host that answers when the test lets it.
    private final class Target: GrantedControl.Target {
        /// The methods that came, each with what ends it.
        private let requests = Mutex<[(method: String, end: PendingAnswer<Void>)]>([])
        /// Told of each method that comes.
        let arrivals = AsyncStream.makeStream(of: String.self)

        func request(
            _ method: String, _ parameters: Value, from caller: ControlCaller
        ) async throws(HostControl.Failure) -> Value {
            let end = PendingAnswer<Void>()
            requests.withLock { $0.append((method, end)) }
            arrivals.continuation.yield(method)
            await end.value()
            if method == "bad" { throw HostControl.Failure(code: 1, message: "no") }
            return .string(method)
        }

        func watch(_ parameters: Value) async throws(HostControl.Failure) -> HostNews { HostNews { nil } }

        /// The methods that have come so far.
        var methods: [String] { requests.withLock { $0.map(\.method) } }

        /// Answers a request, by the order in which they came.
        func answer(_ number: Int) { requests.withLock { $0[number].end }.finish(()) }
    }

    /// Those that have begun, in order.
    private final class Order: Sendable {
        let begun = Mutex<[Int]>([])
    }

    @Test func `an instance has a few requests under way, and the next begins when one of them ends`()
        async throws
    {
        let (control, target) = (GrantedControl(), Target())
        control.settle(target)
        let mine = control.control(for: "http") { nil }
        let most = GrantedControl.requestsAtOnce
        var arrivals = target.arrivals.stream.makeAsyncIterator()
        try await withThrowingTaskGroup(of: Value?.self) { group in
            for number in 0..<most {
                let method = number == 0 ? "bad" : "\(number)"
                group.addTask { try? await mine.request(method) }
                #expect(await arrivals.next() == method)
            }
            for number in 0..<3 { group.addTask { try? await mine.request("late \(number)") } }
            // Another instance, and whoever comes without one, does not wait for them.
            let other = control.control(for: "other") { nil }
            group.addTask { try? await other.request("other") }
            #expect(await arrivals.next() == "other")
            #expect(target.methods.count == most + 1)
            // A request that fails makes room like any other.
            for number in 0..<3 {
                target.answer(number)
                #expect(await arrivals.next()?.hasPrefix("late") == true)
                #expect(target.methods.count == most + 2 + number)
            }
            for number in 3..<target.methods.count { target.answer(number) }
            var answers: [String] = []
            for try await answer in group { answers.append(answer?.stringValue ?? "refused") }
            #expect(
                answers.sorted()
                    == (1..<most).map { "\($0)" } + ["late 0", "late 1", "late 2", "other", "refused"])
        }
    }

    @Test func `those that wait begin in the order in which they came`() async {
        let turns = ControlTurns(atOnce: 1)
        let order = Order()
        let (first, isWaiting) = (PendingAnswer<Void>(), AsyncStream.makeStream(of: Void.self))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await turns.take {
                    isWaiting.continuation.yield()
                    await first.value()
                }
            }
            var steps = isWaiting.stream.makeAsyncIterator()
            await steps.next()
            // Each asks on this task, so that the next asks after it.
            for number in 1...5 {
                let asking = Task.immediate {
                    await turns.take { order.begun.withLock { $0.append(number) } }
                }
                group.addTask { await asking.value }
            }
            #expect(order.begun.withLock { $0 } == [])
            first.finish(())
        }
        #expect(order.begun.withLock { $0 } == [1, 2, 3, 4, 5])
    }
}
