// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// Saves and deletes through middleware and reducer.
@Suite(.timeLimit(.minutes(5)))
struct PersistenceChangesTests {
    typealias Failure = ManualController.Failure

    private let scene: PersistenceScene<ManualController>
    private let calls: AsyncStream<ManualController.Call>

    init() {
        let (calls, continuation) = AsyncStream<ManualController.Call>.makeStream()
        self.calls = calls
        scene = PersistenceScene(ManualController(calls: continuation))
    }

    /// The change that is asked of the controller next, and how to answer it.
    private func nextChange() async throws -> (PersistenceChange<Int>, @Sendable (Failure?) -> Void) {
        for await call in calls {
            if case .change(let change, let answer) = call { return (change, answer) }
        }
        throw Failure(reason: "no change was asked for")
    }

    @Test func `a controller takes one change at a time unless it says otherwise`() {
        #expect(ManualController(calls: AsyncStream.makeStream().continuation).batchLimit == 1)
    }

    @Test func `a save is processing until the controller has answered, then succeeded`() async throws {
        await scene.send(.save(1))
        let (change, answer) = try await nextChange()
        #expect(change == .save(1))
        #expect(scene.state == .init(persist: .processing))
        answer(nil)
        #expect(await scene.next()?.action == .succeeded(.save(1)))
        #expect(scene.state == .init(persist: .succeeded))
    }

    @Test func `a save that fails says why and of what`() async throws {
        await scene.send(.save(1))
        try await nextChange().1(Failure(reason: "full"))
        #expect(await scene.next()?.action == .failed(Failure(reason: "full"), .save(1)))
        #expect(scene.state.persist == .failed(error: Failure(reason: "full"), element: 1))
        #expect(scene.state.delete == .initial)
    }

    @Test func `a delete is told apart from a save`() async throws {
        await scene.send(.delete(1))
        #expect(scene.state == .init(delete: .processing))
        try await nextChange().1(nil)
        _ = await scene.next()
        #expect(scene.state == .init(delete: .succeeded))
        await scene.send(.delete(2))
        try await nextChange().1(Failure(reason: "locked"))
        _ = await scene.next()
        #expect(scene.state.delete == .failed(error: Failure(reason: "locked"), element: 2))
    }

    @Test func `a result carries the source of the action that asked`() async throws {
        await scene.send(.save(1), from: "first")
        await scene.send(.save(2), from: "second")
        for name in ["first", "second"] {
            try await nextChange().1(nil)
            #expect(await scene.next()?.dispatcher == .named(name))
        }
    }

    @Test func `changes reach the controller one at a time, in the order of the actions`() async throws {
        let changes: [PersistenceChange<Int>] = [.save(1), .delete(1), .save(2), .save(1)]
        for change in changes {
            if case .save(let number) = change { await scene.send(.save(number)) }
            if case .delete(let number) = change { await scene.send(.delete(number)) }
        }
        for change in changes {
            let (asked, answer) = try await nextChange()
            #expect(asked == change)
            answer(nil)
            #expect(await scene.next()?.action == .succeeded(change))
        }
    }

    @Test func `a save holds a run open until its result has been processed`() async throws {
        await scene.send(.save(1))
        let (_, answer) = try await nextChange()
        #expect(!scene.store.activity.isIdle)
        let idle = Signal()
        scene.store.activity.onIdle { idle.fire() }
        answer(nil)
        await idle.wait()
        #expect(scene.state.persist == .succeeded)
    }

    @Test func `cancelling requests does not touch changes`() async throws {
        await scene.send(.save(1))
        await scene.send(.cancelRequest)
        await scene.send(.cancelAllRequests)
        #expect(scene.state == .init(persist: .processing))
        try await nextChange().1(nil)
        #expect(await scene.next()?.action == .succeeded(.save(1)))
    }

    @Test func `changes that wait are made when the store goes`() async throws {
        var scene: PersistenceScene<ManualController>? = scene
        await scene?.send(.save(1))
        await scene?.send(.save(2))
        scene = nil
        let (first, answer) = try await nextChange()
        answer(nil)
        let (second, answerSecond) = try await nextChange()
        answerSecond(nil)
        #expect([first, second] == [.save(1), .save(2)])
    }

    @Test func `what waits together reaches a controller that takes batches at once, and nothing is lost`()
        async
    {
        let controller = MemoryController()
        let scene = PersistenceScene(controller)
        for number in 1...1000 { scene.store.dispatch(.save(number)) }
        var succeeded: [Int] = []
        while succeeded.count < 1000, let next = await scene.next() {
            if case .succeeded(let change) = next.action { succeeded.append(change.element) }
        }
        #expect(succeeded == Array(1...1000))
        #expect(controller.numbers == Array(1...1000))
        #expect(controller.batches.reduce(0, +) == 1000)
        #expect(controller.batches.allSatisfy { (1...256).contains($0) })
    }
}
