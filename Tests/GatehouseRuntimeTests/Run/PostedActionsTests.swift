// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseRuntime

/// What tasks hear that bring actions while nothing can be confirmed.
@Suite(.timeLimit(.minutes(1)))
struct PostedActionsTests {
    private let posted = PostedActions()
    private let source = ActionSource(file: "test", function: "", line: 0, info: nil)

    /// What a task hears that brings an action.
    private func outcome() async -> Result<HostIngress.Receipt, HostIngress.Failure> {
        do throws(HostIngress.Failure) {
            return .success(try await posted.post(.action(AnyAction("a/b")), from: source))
        } catch {
            return .failure(error)
        }
    }

    /// Begins a task that brings an action, and returns it when the action has arrived.
    private func begin() async -> Task<Result<HostIngress.Receipt, HostIngress.Failure>, Never> {
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        posted.onArrival { arrive.yield() }
        let task = Task { [self] in await outcome() }
        for await _ in arrivals { break }
        return task
    }

    @Test func `an action that is not taken yet is refused, and so is each one until the obstacle is gone`()
        async
    {
        let task = await begin()
        posted.refuse(because: "the engine is full")
        #expect(await task.value == .failure(.refused("the engine is full; ask again")))
        #expect(await outcome() == .failure(.refused("the engine is full; ask again")))
        #expect(posted.take().isEmpty)
        posted.refuse(because: nil)
        let next = await begin()
        for action in posted.take() { action.answer() }
        #expect(await next.value == .success(.init()))
    }

    @Test func `an action that is taken and not confirmed may still be processed, and is answered once`()
        async
    {
        let task = await begin()
        let taken = posted.take()
        #expect(taken.count == 1)
        posted.refuse(because: "the engine is full")
        #expect(
            await task.value
                == .failure(
                    .refused(
                        "it is not confirmed, and may still be taken: the engine is full; send it again under the same meta.id"
                    )))
        // The host comes to it in the end.
        for action in taken { action.answer() }
        posted.keep(taken, isReady: true)
        #expect(posted.take().isEmpty)
    }

    // MARK: - Order

    /// What is told on whatever thread: arrivals, and what became of actions.
    private final class Heard: Sendable {
        let arrivals = Mutex(0)
        let ends = Mutex<[String]>([])
    }

    /// Brings an action without waiting.
    private func bring(_ type: ActionType, _ heard: Heard) {
        posted.bring(AnyAction(type), from: source) { result in
            let end =
                switch result {
                case .success: "taken"
                case .failure(let failure): failure == .ended ? "ended" : "refused"
                }
            heard.ends.withLock { $0.append("\(type.name) \(end)") }
        }
    }

    /// The types of actions, in order.
    private func types(_ actions: [PostedActions.PostedAction]) -> [String] {
        actions.map { if case .action(let action) = $0.content { action.type.name } else { "lines" } }
    }

    @Test func `the first of those that wait is told of, and the next one once they are taken`() {
        let heard = Heard()
        posted.onArrival { heard.arrivals.withLock { $0 += 1 } }
        bring("a", heard)
        bring("b", heard)
        #expect(heard.arrivals.withLock { $0 } == 1)
        #expect(types(posted.take()) == ["a", "b"])
        #expect(posted.take().isEmpty)
        bring("c", heard)
        #expect(heard.arrivals.withLock { $0 } == 2)
    }

    @Test func `what is kept goes before what came since, and is told of where it can be taken at once`() {
        let heard = Heard()
        posted.onArrival { heard.arrivals.withLock { $0 += 1 } }
        bring("a", heard)
        let taken = posted.take()
        bring("b", heard)
        posted.keep(taken, isReady: false)
        #expect(heard.arrivals.withLock { $0 } == 2)
        let both = posted.take()
        #expect(types(both) == ["a", "b"])
        posted.keep(both, isReady: true)
        #expect(heard.arrivals.withLock { $0 } == 3)
        posted.keep([], isReady: true)
        #expect(heard.arrivals.withLock { $0 } == 3)
    }

    @Test func `whoever closes ends what waits, what comes, and what is kept`() {
        let heard = Heard()
        bring("a", heard)
        let taken = posted.take()
        bring("b", heard)
        posted.close()
        #expect(heard.ends.withLock { $0 } == ["b ended"])
        bring("c", heard)
        posted.keep(taken, isReady: true)
        #expect(heard.ends.withLock { $0 } == ["b ended", "c ended", "a ended"])
        #expect(posted.take().isEmpty)
    }
}
