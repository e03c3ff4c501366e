// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting
import Testing

@testable import Gatehouse

/// What holds for every history of actions.
@Suite(.timeLimit(.minutes(5)))
struct PersistenceLawTests {
    typealias Failure = ManualController.Failure
    typealias Action = ManualController.Action
    typealias State = ManualController.State

    private static let tokens: [String?] = [nil, "a", "b"]

    /// Any action, answers that nobody asked for included.
    private static func action(_ random: inout SeededGenerator) -> Action {
        let token = tokens[random.number(0...2)]
        let number = random.number(1...3)
        let failure = Failure(reason: "no")
        let lists = (0..<2).map { _ in random.numbers(1...4, upTo: 4) }
        switch random.number(0...13) {
        case 0: return .save(number)
        case 1: return .delete(number)
        case 2, 3, 4: return .request("r\(number)", token: token)
        case 5: return .cancelRequest(token: token)
        case 6: return .cancelAllRequests
        case 7: return .succeeded(random.number(0...1) == 0 ? .save(number) : .delete(number))
        case 8: return .failed(failure, random.number(0...1) == 0 ? .save(number) : .delete(number))
        case 9, 10: return .received(.elements(lists[0]), "r", token: token)
        case 11: return .received(.difference(lists[1].difference(from: lists[0])), "r", token: token)
        case 12: return .requestFailed(failure, "r", token: token)
        default: return .requestEnded("r", token: token)
        }
    }

    /// The token an action is about; nil for actions about no single request.
    private static func subject(_ action: Action) -> String?? {
        switch action {
        case .request(_, let token), .cancelRequest(let token), .received(_, _, let token),
            .requestFailed(_, _, let token), .requestEnded(_, let token):
            .some(token)
        default: nil
        }
    }

    private static func history(_ random: inout SeededGenerator) -> [Action] {
        (0..<random.number(0...30)).map { _ in action(&random) }
    }

    private static func run(_ history: [Action]) -> State {
        history.reduce(into: .initial) { _ = ManualController.makeReducer().apply($1, &$0) }
    }

    @Test func `requests do not see each other's actions`() {
        forAll(cases: 500) { random in
            let history = Self.history(&random)
            let token = Self.tokens[random.number(0...2)]
            let own = history.filter { action in Self.subject(action).map { $0 == token } ?? true }
            return (Self.run(history)[token], Self.run(own)[token])
        }
    }

    @Test func `what runs is loading or has received, and what is told as unchanged is unchanged`() {
        forAll(cases: 500) { random in
            var state = State.initial
            var faults: [String] = []
            for action in Self.history(&random) {
                let before = state
                let change = ManualController.makeReducer().apply(action, &state)
                if change == .unchanged, before != state { faults.append("\(action) changed \(before)") }
                for token in state.live {
                    switch state[token] {
                    case .loading, .received: break
                    default: faults.append("\(action) left \(state)")
                    }
                }
                for token in Self.tokens where state[token] == .loading && !state.live.contains(token) {
                    faults.append("\(action) left \(token ?? "the request") loading for ever")
                }
            }
            return (faults, [])
        }
    }

    @Test func `cancelling twice is cancelling once`() {
        forAll(cases: 200) { random in
            var state = Self.run(Self.history(&random))
            let cancel = Action.cancelRequest(token: Self.tokens[random.number(0...2)])
            _ = ManualController.makeReducer().apply(cancel, &state)
            let once = state
            let change = ManualController.makeReducer().apply(cancel, &state)
            return ("\(change) \(state == once)", "unchanged true")
        }
    }

    @Test func `actions and states are the same after encoding and decoding`() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let history = Self.history(&random)
            let copies = try history.map { try Value(encoding: $0).decode(Action.self) }
            #expect(copies == history, "seed \(seed)")
            let state = Self.run(history)
            #expect(try Value(encoding: state).decode(State.self) == state, "seed \(seed)")
        }
    }

    @Test func `how many elements follow a difference is known without applying it`() {
        forAll(cases: 1000) { random in
            let lists = (0..<3).map { _ in random.numbers(1...3, upTo: 5) }
            let difference = lists[1].difference(from: lists[0])
            return (difference.count(after: lists[2].count), lists[2].applying(difference)?.count)
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a live request shows what is stored, whatever happened`(seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        let controller = MemoryController()
        let scene = PersistenceScene(controller)
        let changes = random.numbers(1...9, upTo: 30)
        let start = random.number(0...changes.count)
        for (index, number) in changes.enumerated() {
            if index == start { scene.store.dispatch(.request(0, token: "live")) }
            scene.store.dispatch(random.number(0...2) == 0 ? .delete(number) : .save(number))
        }
        if start == changes.count { scene.store.dispatch(.request(0, token: "live")) }
        // Every change reports its success and is told to the request, in whatever order.
        var made = 0
        while made < changes.count || scene.state["live"] != .received(controller.numbers) {
            if case .succeeded = await scene.next()?.action { made += 1 }
        }
    }
}
