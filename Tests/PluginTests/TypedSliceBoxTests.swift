// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseSDK

/// A state of the plugin's own type.
@Suite(.timeLimit(.minutes(10))) struct TypedSliceBoxTests {
    private enum Action: PluginAction { case add(Int), look }

    private struct State: Codable, Sendable, Equatable { var sum = 0 }

    private let box = TypedSliceBox(State())

    /// The plugin's reducer, in the host's form; whatever it reports is an issue.
    private var reducer: Reducer<AnyAction, Slice> {
        let own = Reducer<Action, State>.reducing { action, state in
            guard case .add(let number) = action else { return .unchanged }
            state.sum += number
            return .changed
        }
        let coding = ActionCoding<Action>(
            report: { Issue.record("\($0)") }, decoded: DecodedPayload())
        return box.lift(own, coding)
    }

    @Test func `each change is a version, and what changes nothing is none`() {
        let reducer = reducer
        var slice = Slice(box)
        #expect(box.version == 0)
        for number in 1...2 {
            #expect(reducer.apply(AnyAction("add", payload: 5), &slice) == .changed)
            #expect(box.version == UInt64(number))
            #expect(box.current == State(sum: 5 * number))
        }
        #expect(reducer.apply(AnyAction("look"), &slice) == .unchanged)
        // The reader that reports is another one.
        #expect(reducer.apply(AnyAction("add", payload: "five"), &slice) == .unchanged)
        #expect(reducer.apply(AnyAction("unknown"), &slice) == .unchanged)
        #expect(box.version == 2)
    }

    @Test func `a state is restored as a new version, or stays as it is`() throws {
        try box.restore(["sum": 7])
        #expect(box.current == State(sum: 7))
        #expect(box.version == 1)
        #expect(throws: CodingFailure.self) { try box.restore(["sum": "seven"]) }
        #expect(box.current == State(sum: 7))
        #expect(box.version == 1)
        #expect(try box.encode() == ["sum": 7])
        let copy = box.copy()
        try box.restore(["sum": 8])
        #expect(try copy() == ["sum": 7])
        #expect(box.version == 2)
    }

    @Test func `a state of the same type is taken over as a new version, and no other one is`() throws {
        let other = TypedSliceBox(State(sum: 9))
        #expect(box.adopt(other))
        #expect(box.current == State(sum: 9))
        #expect(box.version == 1)
        #expect(!box.adopt(TypedSliceBox(5)))
        #expect(box.version == 1)
        #expect(other.version == 0)
    }

    @Test func `a state that JSON cannot hold is told when it is written`() {
        struct Real: Codable, Sendable { var number = Double.infinity }
        let box = TypedSliceBox(Real())
        #expect(throws: CodingFailure.self) { try box.encode() }
        #expect(throws: CodingFailure.self) { try box.copy()() }
    }
}
