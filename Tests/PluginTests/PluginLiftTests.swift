// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization
import Testing

@testable import GatehouseSDK

/// One middleware of a plugin, as the host sees it.
@Suite(.timeLimit(.minutes(10))) struct PluginLiftTests {
    private enum Action: PluginAction, Equatable { case ask(Int), answer(Int), began, ended }

    /// What happened, in order.
    private final class Record: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// Answers each question by its number and the state, and says what it is told besides.
    private struct Part: MiddlewareProtocol {
        let record: Record

        func handle(action: Action, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Action> {
            guard case .ask(let number) = action else { return .pure() }
            return IO { $0.dispatch(.answer(number + state()), from: dispatcher) }
        }
        func start(state: GetState<Int>) -> IO<Action> { IO { $0.dispatch(.began, from: .here()) } }
        func stopping(state: GetState<Int>) -> IO<Action> { IO { $0.dispatch(.ended, from: .here()) } }
        func gateChanged(to gate: GateState) { record.add("gate \(gate)") }
        func cancelEffects() { record.add("cancel") }
        func stopEffects() { record.add("stop") }
    }

    private let record = Record()
    private let slice = GetState { Slice() }

    private func lift(isReporting: Bool = true) -> PluginLift<Action, Int> {
        let coding = ActionCoding<Action>(
            report: { [record] in record.add("\($0)") }, decoded: DecodedPayload())
        return PluginLift(
            AnyMiddleware(Part(record: record)), coding: coding, isReporting: isReporting,
            box: TypedSliceBox(100))
    }

    /// What an answer emits.
    private func outputs(_ io: IO<AnyAction>) -> [String] {
        let outputs = Mutex<[String]>([])
        io.run { output in
            let text = "\(output.action.type) \(output.action.payload?.json() ?? "")"
            outputs.withLock { $0.append(text) }
        }
        return outputs.withLock { $0 }
    }

    private func answer(_ lift: PluginLift<Action, Int>, to payload: Value) -> IO<AnyAction> {
        lift.handle(action: AnyAction("ask", payload: payload), from: .here(), state: slice)
    }

    @Test func `an action is answered in the host's form, and what is nobody's is not`() {
        let lift = lift()
        #expect(outputs(answer(lift, to: 1)) == ["answer 101"])
        #expect(lift.handle(action: AnyAction("began"), from: .here(), state: slice).isPure)
        #expect(answer(lift, to: "one").isPure)
        #expect(record.all == ["ask: the whole value: expected an integer, found a string"])
        #expect(answer(self.lift(isReporting: false), to: "one").isPure)
        #expect(record.all.count == 1)
    }

    @Test func `an answer that somebody keeps stays what it was`() {
        let lift = lift()
        let asks: [() -> IO<AnyAction>] = [
            { answer(lift, to: 1) }, { lift.start(state: slice) }, { lift.stopping(state: slice) },
            { answer(lift, to: 2) },
        ]
        let expected = ["answer 101", "began ", "ended ", "answer 102"]
        for (first, kept) in asks.enumerated() {
            for (second, next) in asks.enumerated() {
                let (kept, next) = (kept(), next())
                #expect(outputs(next) == [expected[second]])
                #expect(outputs(kept) == [expected[first]])
            }
        }
    }

    @Test func `what concerns effects and gates is passed on`() {
        let lift = lift()
        lift.gateChanged(to: .bypass)
        lift.cancelEffects()
        lift.stopEffects()
        #expect(record.all == ["gate bypass", "cancel", "stop"])
    }
}
