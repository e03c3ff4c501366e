// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseTesting
import Testing

/// Tests of the parts of a store, and of single effects.
@Suite(.timeLimit(.minutes(5)))
struct TestStorePartsTests {
    /// Counts what is added, and adds what it is told to look up.
    private enum Action: Equatable, Sendable { case add(Int), lookUp, unknown }

    /// A count, and who has changed it.
    private struct State: Equatable, Sendable {
        var count = 0
    }

    /// A store whose look-up is answered as `answer` says.
    private func makeStore(
        clock: ManualClock = ManualClock(), _ answer: @escaping @Sendable () -> Effect<Void, Action>
    ) -> TestStore<Action, State> {
        TestStore(
            initialState: State(),
            reducer: .reducing { action, state in
                guard case .add(let number) = action else { return .unchanged }
                state.count += number
                return .changed
            },
            middleware: EffectMiddleware<Action, Action, State, Void>.onAction { action, _, _ in
                action == .lookUp ? answer() : .doNothing
            }, clock: clock)
    }

    @Test func `a store is held to its states and actions`() async throws {
        let store = makeStore { .task { .add(3) } }
        try store.send(.add(1)) { $0.count = 1 }
        try store.send(.lookUp)
        try await store.receive(.add(3)) { $0.count = 4 }
        try await store.finish()
    }

    /// A store that has emitted an action, which was not received.
    private static func makeUnfinishedStore() throws -> TestStore<Int, Int> {
        let store = TestStore(
            initialState: 0,
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                action == 1 ? .just(2) : .doNothing
            })
        try store.send(1)
        return store
    }

    @Test func `a store that goes without being finished says what was not expected`() async throws {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            _ = try TestStorePartsTests.makeUnfinishedStore()
        }
        let words = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
        #expect(words.contains(": expected nothing more, found 2, and finish() was not called\n"))
    }

    @Test func `a store that has failed its test says nothing more when it goes`() async throws {
        let ended = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let store = try TestStorePartsTests.makeUnfinishedStore()
            try? store.send(3)
        }
        let words = String(decoding: try #require(ended).standardErrorContent, as: UTF8.self)
        #expect(!words.contains("finish()"))
    }

    @Test func `a state without a form in JSON is shown as it prints`() throws {
        let store = makeStore { .doNothing }
        let failure = #expect(throws: TestFailure.self) { try store.send(.add(1)) }
        #expect(
            failure?.text == """
                expected another state after add(1):
                    expected State(count: 0)
                    found State(count: 1)
                """)
    }

    @Test func `an answer from another thread is awaited`() async throws {
        let (calls, call) = AsyncStream<@Sendable (Action) -> Void>.makeStream()
        let store = makeStore { .promise { call.yield($0) } }
        // Other suites keep the threads of tasks busy.
        store.limit = .seconds(50)
        try store.send(.lookUp)
        Task.detached { for await answer in calls { answer(.add(2)) } }
        try await store.receive(.add(2)) { $0.count = 2 }
        try await store.finish()
    }

    @Test func `an effect that waits for something outside for too long is told`() async throws {
        let (calls, call) = AsyncStream<@Sendable (Action) -> Void>.makeStream()
        let store = makeStore { .promise { call.yield($0) } }
        store.limit = .milliseconds(20)
        try store.send(.lookUp)
        let failure = await #expect(throws: TestFailure.self) { try await store.receive(.add(2)) }
        #expect(
            failure?.text
                == "expected add(2), found that 1 effect is running, which did not end within 0.02 seconds")
        withExtendedLifetime(calls) {}
    }

    @Test func `a state that changes without an action must be told`() async throws {
        let store = makeStore { .doNothing }
        try store.send(.add(0)) { _ in }
        let failure = #expect(throws: TestFailure.self) { try store.expectState { $0.count = 1 } }
        #expect(
            failure?.text == """
                expected another state after that moment:
                    expected State(count: 1)
                    found State(count: 0)
                """)
    }

    @Test func `each tick of a timer is seen on the way`() async throws {
        let clock = ManualClock()
        let store = makeStore(clock: clock) { .timer(every: .seconds(1), clock: clock) { .add(1) } }
        try store.send(.lookUp)
        store.advance(by: .milliseconds(3500))
        #expect(store.takeEmitted().map(\.action) == [.add(1), .add(1), .add(1)])
        #expect(store.state.count == 3)
        try await store.finish()
    }

    @Test func `what is said at the end of a run is emitted by stop`() async throws {
        let store = TestStore(
            initialState: 0,
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction(
                { _, _, _ in .doNothing }, onStopping: { _, _ in .just(9) }))
        store.stop()
        try await store.receive(9)
        try await store.finish()
    }

    @Test func `an effect by itself gives what it emits`() async throws {
        let clock = ManualClock()
        let effect =
            Effect<Void, Int>.just(1) <> .just(2).delay(for: .seconds(1), clock: clock) <> .task { 3 }
        #expect(try await emissions(of: effect, advancing: clock, by: .seconds(1)) == [1, 3, 2])
    }

    @Test func `an effect that sleeps on a thread of its own is told as soon as it does`() async throws {
        let clock = ManualClock()
        let store = makeStore(clock: clock) {
            .task {
                await Task.detached { try? await clock.sleep(for: .seconds(1)) }.value
                return .add(2)
            }
        }
        // Longer than the suite may take.
        store.limit = .seconds(3_600)
        try store.send(.lookUp)
        let failure = await #expect(throws: TestFailure.self) { try await store.receive(.add(2)) }
        #expect(
            failure?.text
                == "expected add(2), found that 1 effect is running, asleep until the clock has moved by 1.0 seconds; call advance(by:)"
        )
        store.advance(by: .seconds(1))
        try await store.receive(.add(2)) { $0.count = 2 }
        try await store.finish()
    }

    @Test func `an effect that does not end is told`() async throws {
        let clock = ManualClock()
        let failure = await #expect(throws: TestFailure.self) {
            let effect = Effect<Void, Int>.just(2).delay(for: .seconds(1), clock: clock)
            return try await emissions(of: effect, advancing: clock)
        }
        #expect(
            failure?.text
                == "expected all effects to have ended, found that 1 effect is running, asleep until the clock has moved by 1.0 seconds; call advance(by:)"
        )
    }
}
