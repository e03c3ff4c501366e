// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// Live requests through middleware and reducer.
@Suite(.timeLimit(.minutes(5)))
struct PersistenceRequestsTests {
    typealias Failure = ManualController.Failure
    typealias State = ManualController.State

    private let scene: PersistenceScene<ManualController>
    private let calls: AsyncStream<ManualController.Call>

    init() {
        let (calls, continuation) = AsyncStream<ManualController.Call>.makeStream()
        self.calls = calls
        scene = PersistenceScene(ManualController(calls: continuation))
    }

    /// The request that is made of the controller next, and how to answer it.
    private func nextRequest() async throws -> (request: String, answers: ManualController.Answers) {
        for await call in calls {
            if case .request(let request, let answers) = call { return (request, answers) }
        }
        throw Failure(reason: "no request was made")
    }

    /// Makes a request and answers it with elements.
    private func live(
        _ elements: [Int], token: String? = nil
    ) async throws -> ManualController.Answers {
        await scene.send(.request("all", token: token))
        let answers = try await nextRequest().answers
        answers.tell(.elements(elements))
        #expect(await scene.next()?.action == .received(.elements(elements), "all", token: token))
        return answers
    }

    @Test func `a request is loading until the elements are there`() async throws {
        await scene.send(.request("even"))
        let (request, answers) = try await nextRequest()
        #expect(request == "even")
        #expect(scene.state == State(request: .loading, live: [nil]))
        answers.tell(.elements([2, 4]))
        #expect(await scene.next()?.action == .received(.elements([2, 4]), "even"))
        #expect(scene.state == State(request: .received([2, 4]), live: [nil]))
    }

    @Test func `a difference changes the elements`() async throws {
        let answers = try await live([1, 2, 3])
        answers.tell(from: [1, 2, 3], to: [1, 3, 4])
        _ = await scene.next()
        #expect(scene.state.request == .received([1, 3, 4]))
    }

    @Test func `answers carry the source of the request`() async throws {
        await scene.send(.request("all"), from: "asker")
        let answers = try await nextRequest().answers
        answers.tell(.elements([]))
        #expect(await scene.next()?.dispatcher == .named("asker"))
        answers.fail("gone")
        #expect(await scene.next()?.dispatcher == .named("asker"))
    }

    @Test func `a request that fails says why and which`() async throws {
        let answers = try await live([1])
        answers.fail("gone")
        #expect(await scene.next()?.action == .requestFailed(Failure(reason: "gone"), "all"))
        #expect(
            scene.state
                == State(request: .failed(error: Failure(reason: "gone"), request: "all"), live: []))
    }

    @Test func `a request that ends without an answer has received nothing`() async throws {
        await scene.send(.request("all"))
        try await nextRequest().answers.end()
        #expect(await scene.next()?.action == .requestEnded("all"))
        #expect(scene.state == State(request: .received([]), live: []))
    }

    @Test func `a request that ends keeps its elements`() async throws {
        let answers = try await live([1])
        answers.end()
        _ = await scene.next()
        #expect(scene.state == State(request: .received([1]), live: []))
    }

    @Test func `requests with different tokens run side by side`() async throws {
        let first = try await live([1], token: "a")
        let second = try await live([2], token: "b")
        let plain = try await live([3])
        first.tell(from: [1], to: [1, 9])
        _ = await scene.next()
        second.fail("gone")
        _ = await scene.next()
        plain.tell(from: [3], to: [])
        _ = await scene.next()
        #expect(
            scene.state
                == State(
                    request: .received([]),
                    requests: [
                        "a": .received([1, 9]),
                        "b": .failed(error: Failure(reason: "gone"), request: "all"),
                    ],
                    live: [nil, "a"]))
    }

    @Test(arguments: [nil, "a"])
    func `a request replaces the one with the same token`(token: String?) async throws {
        let first = try await live([1], token: token)
        await scene.send(.request("other", token: token))
        await first.stopped.wait()
        #expect(scene.state[token] == .loading)
        let (request, second) = try await nextRequest()
        #expect(request == "other")
        second.tell(.elements([2]))
        _ = await scene.next()
        #expect(scene.state[token] == .received([2]))
    }

    @Test func `cancelling stops the controller's sequence`() async throws {
        let answers = try await live([1])
        await scene.send(.cancelRequest)
        await answers.stopped.wait()
        #expect(scene.state == State(request: .canceled, live: []))
        #expect(scene.store.activity.running == 0)
    }

    @Test func `cancelling a token leaves the others alone, and forgets it`() async throws {
        let first = try await live([1], token: "a")
        let second = try await live([2], token: "b")
        await scene.send(.cancelRequest(token: "a"))
        await first.stopped.wait()
        #expect(scene.state == State(requests: ["b": .received([2])], live: ["b"]))
        second.tell(.elements([3]))
        _ = await scene.next()
        #expect(scene.state["b"] == .received([3]))
    }

    @Test func `all requests are cancelled together`() async throws {
        let requests = [
            try await live([1]), try await live([2], token: "a"), try await live([3], token: "b"),
        ]
        await scene.send(.cancelAllRequests)
        for request in requests { await request.stopped.wait() }
        #expect(scene.state == State(request: .canceled))
        #expect(scene.store.activity.running == 0)
    }

    @Test func `cancelling when nothing runs leaves the state as it is`() async throws {
        await scene.send(.cancelRequest)
        #expect(scene.state == .initial)
        let answers = try await live([1])
        answers.end()
        _ = await scene.next()
        let state = scene.state
        await scene.send(.cancelRequest)
        await scene.send(.cancelRequest(token: "unknown"))
        await scene.send(.cancelAllRequests)
        #expect(scene.state == state)
    }

    @Test func `a request holds a run open until its first answer`() async throws {
        let idle = Signal()
        scene.store.activity.onIdle { idle.fire() }
        await scene.send(.request("all"))
        let answers = try await nextRequest().answers
        #expect(!scene.store.activity.isIdle)
        answers.tell(.elements([1]))
        await idle.wait()
        #expect(scene.state.request == .received([1]))
        #expect(scene.store.activity.running == 1)
    }

    @Test func `a request waits for the changes before it`() async throws {
        let (calls, continuation) = AsyncStream<ManualController.Call>.makeStream()
        let scene = PersistenceScene(ManualController(calls: continuation))
        await scene.send(.save(1))
        await scene.send(.request("all"))
        var order: [String] = []
        for await call in calls {
            switch call {
            case .change(_, let answer):
                order.append("change")
                answer(nil)
            case .request: order.append("request")
            }
            if order.count == 2 { break }
        }
        #expect(order == ["change", "request"])
    }

    @Test func `changes do not wait for the answer to a request before them, only for its being made`()
        async throws
    {
        await scene.send(.request("all"))
        await scene.send(.save(1))
        var iterator = calls.makeAsyncIterator()
        guard case .request("all", _) = await iterator.next(),
            case .change(.save(1), let answer) = await iterator.next()
        else { throw Failure(reason: "expected a request, then a change") }
        answer(nil)
        #expect(await scene.next()?.action == .succeeded(.save(1)))
        #expect(scene.state.request == .loading)
    }

    @Test func `a request that is cancelled before its turn is not made`() async throws {
        await scene.send(.save(1))
        await scene.send(.request("never"))
        await scene.send(.cancelRequest)
        await scene.send(.save(2))
        var iterator = calls.makeAsyncIterator()
        for number in 1...2 {
            guard case .change(.save(number), let answer) = await iterator.next() else {
                throw Failure(reason: "expected change \(number)")
            }
            answer(nil)
            #expect(await scene.next()?.action == .succeeded(.save(number)))
        }
        #expect(scene.state.request == .canceled)
    }

    @Test func `the first answer may be told as the way from nothing`() async throws {
        await scene.send(.request("all"))
        try await nextRequest().answers.tell(from: [], to: [1, 2])
        #expect(await scene.next()?.action == .received(.elements([1, 2]), "all"))
    }

    @Test func `a difference that does not fit is not passed on; the request is made again`() async throws {
        let answers = try await live([1])
        answers.tell(from: [1, 2, 3, 4], to: [1, 2, 3])
        let again = try await nextRequest().answers
        #expect(scene.state == State(request: .received([1]), live: [nil]))
        again.tell(.elements([5]))
        #expect(await scene.next()?.action == .received(.elements([5]), "all"))
        #expect(scene.state.request == .received([5]))
    }

    @Test func `a change whose way is not known has the request made again, each time`() async throws {
        var answers = try await live([1])
        for number in 2...4 {
            answers.tell(.difference(nil))
            answers = try await nextRequest().answers
            answers.tell(.elements([number]))
            #expect(await scene.next()?.action == .received(.elements([number]), "all"))
        }
    }

    @Test func `a controller that never tells anything that fits has its request cancelled`() async throws {
        await scene.send(.request("all", token: "a"))
        for _ in 0..<2 { try await nextRequest().answers.tell(.difference(nil)) }
        #expect(await scene.next()?.action == .cancelRequest(token: "a"))
        #expect(scene.state == .initial)
    }

    @Test func `elements that somebody else changed are asked for again when a difference does not fit them`()
        async throws
    {
        let (calls, continuation) = AsyncStream<ManualController.Call>.makeStream()
        // A reducer of the application that empties the list whenever something is saved.
        let meddling =
            ManualController.makeReducer()
            <> .reduce { action, state in
                if case .save = action { state.request = .received([]) }
            }
        let scene = PersistenceScene(ManualController(calls: continuation), reducer: meddling)
        var iterator = calls.makeAsyncIterator()
        await scene.send(.request("all"))
        guard case .request(_, let first) = await iterator.next() else { throw Failure(reason: "no request") }
        first.tell(.elements([1, 2]))
        _ = await scene.next()
        await scene.send(.save(3))
        first.tell(from: [1, 2], to: [1])
        _ = await scene.next()
        #expect(scene.state.request == .loading)
        await first.stopped.wait()
        guard case .change(_, let answer) = await iterator.next() else { throw Failure(reason: "no change") }
        answer(nil)
        guard case .request(_, let second) = await iterator.next() else {
            throw Failure(reason: "no request")
        }
        second.tell(.elements([1]))
        while scene.state.request != .received([1]), await scene.next() != nil {}
        #expect(scene.state.live == [nil])
    }
}
