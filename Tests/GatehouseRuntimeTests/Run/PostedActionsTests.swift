// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseSDK
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
}
