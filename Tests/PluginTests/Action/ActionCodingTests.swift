// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Synchronization
import Testing

@testable import GatehouseSDK

/// The way between a host's actions and those of one plugin.
@Suite(.timeLimit(.minutes(10))) struct ActionCodingTests {
    /// An action that counts how often each type is decoded, and has a name as long as it is not empty.
    private struct Counted: PluginAction, Equatable {
        static let decodings = Mutex<[ActionType: Int]>([:])

        var name: String
        var number: Int?

        init(_ name: String, _ number: Int? = nil) {
            self.name = name
            self.number = number
        }

        init(type: ActionType, payload: TapeView?) throws {
            Self.decodings.withLock { $0[type, default: 0] += 1 }
            if type.name.hasSuffix("refused") {
                throw CodingFailure(pointer: .whole, expected: "another", found: type.name)
            }
            self.init(type.name, try payload?.decode(Int.self))
        }

        func encodedType() throws -> ActionType {
            if name.isEmpty { throw CodingFailure(pointer: .whole, expected: "a name", found: "none") }
            return ActionType(name)
        }

        var isError: Bool { number == -1 }
    }

    /// What was reported, in order.
    private final class Reports: Sendable {
        let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
    }

    private let reports = Reports()
    private let decoded = DecodedPayload<Counted>()

    /// A coding for one more instance that reports where the others do.
    private func coding() -> ActionCoding<Counted> {
        ActionCoding(
            report: { [reports] misfit in reports.lines.withLock { $0.append("\(misfit)") } },
            decoded: decoded)
    }

    /// How often types were decoded.
    private func decodings(_ types: ActionType...) -> [Int] {
        Counted.decodings.withLock { decodings in types.map { decodings[$0] ?? 0 } }
    }

    @Test func `an action without a payload is decoded once for each type, and the last one is at hand`() {
        let coding = coding()
        for _ in 0..<3 {
            for type in ["bare/a", "bare/b"] as [ActionType] {
                #expect(coding.decode(AnyAction(type), isReporting: true) == Counted(type.name))
                #expect(coding.bareType == type)
                #expect(coding.bareAction == Counted(type.name))
            }
        }
        #expect(decodings("bare/a", "bare/b") == [1, 1])
        #expect(coding.bareTypes == ["bare/a", "bare/b"])
        #expect(reports.all == [])
    }

    @Test func `a payload is decoded once for all instances, and again under another name`() {
        let (first, second) = (coding(), coding())
        #expect(decoded.serial == 0)
        let action = AnyAction("payload/a", payload: 5)
        for coding in [first, second, first] {
            #expect(coding.decode(action, isReporting: true) == Counted("payload/a", 5))
        }
        #expect(decodings("payload/a") == [1])
        #expect(decoded.serial == action.payloadSerial)
        let renamed = action.renamed("payload/b")
        #expect(renamed.payloadSerial == action.payloadSerial)
        #expect(first.decode(renamed, isReporting: true) == Counted("payload/b", 5))
        #expect(second.decode(renamed, isReporting: true) == Counted("payload/b", 5))
        #expect(decodings("payload/a", "payload/b") == [1, 1])
        let other = AnyAction("payload/b", payload: 6)
        #expect(second.decode(other, isReporting: true) == Counted("payload/b", 6))
        #expect(first.decode(action, isReporting: true) == Counted("payload/a", 5))
        #expect(decodings("payload/a", "payload/b") == [2, 2])
    }

    @Test func `what does not decode is nobody's action, and the one reader that reports does`() {
        let (first, second) = (coding(), coding())
        let action = AnyAction("payload/refused", payload: 5)
        #expect(first.decode(action, isReporting: false) == nil)
        #expect(second.decode(action, isReporting: true) == nil)
        #expect(first.decode(action, isReporting: false) == nil)
        #expect(decodings("payload/refused") == [1])
        let reason = "the whole value: expected another, found"
        #expect(reports.all == ["payload/refused: \(reason) payload/refused"])
        for isReporting in [false, true] {
            #expect(first.decode(AnyAction("bare/refused"), isReporting: isReporting) == nil)
        }
        #expect(first.bareType == nil)
        #expect(reports.all.dropFirst() == ["bare/refused: \(reason) bare/refused"])
    }

    @Test func `an output has its name, its payload and whether it is an error, or is reported`() throws {
        let coding = coding()
        let action = try coding.encode(Counted("out", -1))
        #expect(action.type == "out")
        #expect(action.isError)
        #expect(try !coding.encode(Counted("out", 1)).isError)
        #expect(coding.written(Counted("out"))?.type == "out")
        let emitted = Mutex<[ActionType]>([])
        let sink = ActionSink<AnyAction>(drain: nil, activity: nil) { dispatched in
            emitted.withLock { $0.append(dispatched.action.type) }
        }
        for name in ["out", "", "end"] {
            coding.emit(DispatchedAction(Counted(name), dispatcher: .here()), to: sink)
        }
        #expect(emitted.withLock { $0 } == ["out", "end"])
        #expect(
            reports.all == [
                "an output cannot be written as JSON: the whole value: expected a name, found none"
            ])
        #expect(throws: CodingFailure.self) { try coding.encode(Counted("")) }
    }

    @Test func `a plugin of all actions has each as it is`() throws {
        let coding = ActionCoding<AnyAction>(
            report: { Issue.record("\($0)") }, decoded: DecodedPayload())
        let action = AnyAction("any", payload: 5, error: true)
        #expect(coding.decode(action, isReporting: true)?.payloadSerial == action.payloadSerial)
        #expect(try coding.encode(action).isError)
    }
}
