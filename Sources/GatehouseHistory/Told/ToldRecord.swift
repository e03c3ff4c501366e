// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
package import GatehouseValue

/// An action of the past as a line tells it: what `gatehouse history --json` prints and the console exports, read back.
///
/// Only the number, the cause and the action must be there, so that lines may go through other programs first.
package struct ToldRecord {
    /// Its number among the actions of its journal.
    let sequence: UInt64
    /// When its batch was written, in seconds since 1970; nil where the line does not tell.
    let time: Double?
    /// What reducers that asked for the time were told, likewise; nil where nobody asked.
    let toldTime: Double?
    /// What kind of cause it has.
    let kind: ActionCause.Kind
    /// The number of the action that led to it; nil for an input, and where it is not known.
    let cause: UInt64?
    /// The number of the input that it was, or that an interceptor had in hand when it emitted it; nil for neither, and where it is not known.
    package let inputNumber: UInt64?
    /// The name of the input it came from; empty for an action that an instance emitted.
    let file: String
    /// The line of that input; 0 for an action that an instance emitted.
    let line: UInt
    /// The id of the instance that emitted it; nil for an input.
    let instance: String?
    /// Why its payload was not recorded; nil for an action that is whole.
    let misfit: String?
    /// The action in its wire form.
    package let action: Value

    /// Whether it follows by itself from an action before, so that dispatching that one leads to it again.
    ///
    /// - Parameter inputs: the numbers of the inputs before; takes note of this one. What an interceptor emitted follows from an input only where
    ///   that was let pass, too: otherwise the journal has no action of it.
    package func follows(from inputs: inout Set<UInt64>) -> Bool {
        if kind == .input, let inputNumber { inputs.insert(inputNumber) }
        return switch kind {
        case .output, .own: true
        case .interception: inputNumber.map(inputs.contains) ?? true
        case .unknown, .input, .effect: false
        }
    }

    /// The kinds of causes by the words that stand for them.
    private static let kinds: [String: ActionCause.Kind] = [
        "unknown": .unknown, "input": .input, "output": .output, "effect": .effect, "own": .own,
        "interception": .interception,
    ]

    /// Reads a line; nil for one that tells no action of the past, and may be an action itself.
    ///
    /// - Throws: the member that no journal tells.
    package init?(_ told: Value) throws(CodingFailure) {
        guard let number = told["sequence"], let action = told["action"], let origin = told["cause"] else {
            return nil
        }
        sequence = try Self.number(number, at: "sequence")
        time = try Self.seconds(told, "time")
        toldTime = try Self.seconds(told, "toldTime")
        guard let kind = origin["kind"]?.stringValue.flatMap({ Self.kinds[$0] }) else {
            throw Self.failure(
                at: "cause", "kind", expected: "unknown, input, output, effect, own or interception",
                found: origin["kind"])
        }
        self.kind = kind
        cause =
            if let of = origin["of"], of != .null { try Self.number(of, at: "cause", "of") } else { nil }
        inputNumber = origin["input"]?.intValue.flatMap { UInt64(exactly: $0) }
        let source = told["source"] ?? [:]
        instance = source["instance"]?.stringValue
        file = source["input"]?.stringValue ?? ""
        line = source["line"]?.intValue.flatMap { UInt(exactly: $0) } ?? 0
        misfit = told["misfit"]?.stringValue
        self.action = action
    }

    /// Reads the number of an action.
    private static func number(_ value: Value, at path: String...) throws(CodingFailure) -> UInt64 {
        guard let number = value.intValue.flatMap({ UInt64(exactly: $0) }), number > 0 else {
            throw CodingFailure(
                pointer: JSONPointer(tokens: path), expected: "the number of an action, from 1 on",
                found: value.json())
        }
        return number
    }

    /// Reads a moment; nil where there is none.
    private static func seconds(_ told: Value, _ key: String) throws(CodingFailure) -> Double? {
        guard let value = told[key], value != .null else { return nil }
        guard let seconds = value.doubleValue else {
            throw failure(at: key, expected: "seconds since 1970", found: value)
        }
        return seconds
    }

    /// Says what stands at a place in the place of what is expected there.
    private static func failure(
        at path: String..., expected: String, found: Value?
    ) -> CodingFailure {
        CodingFailure(
            pointer: JSONPointer(tokens: path), expected: expected, found: found?.json() ?? "nothing there")
    }
}
