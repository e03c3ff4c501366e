// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehouseSupport
package import GatehouseValue

/// A recorded action of the past.
package struct HistoryEntry: Equatable, Sendable {
    /// The cause of an action.
    package enum Cause: Equatable, Sendable {
        /// The cause is not recorded.
        case unknown
        /// The action came in as the input with the number.
        case input(UInt64)
        /// An instance emitted it in answer to the action with the number; nil where unknown.
        case output(of: UInt64?)
        /// An effect started by the action with the number emitted it; nil where unknown.
        case effect(of: UInt64?)
        /// An interceptor changed its own state by it while the action with the number was in progress.
        case own(of: UInt64?)

        /// The number of the action that caused it; nil for an input, and where unknown.
        package var sequence: UInt64? {
            switch self {
            case .unknown, .input: nil
            case .output(let sequence), .effect(let sequence), .own(let sequence): sequence
            }
        }
    }

    /// The action's number among all actions, from 1.
    package let sequence: UInt64
    /// The number of the run that processed it.
    package let epoch: Int
    /// The number of the generation in that run.
    package let generation: Int
    /// When the action was recorded, in seconds since 1970.
    package let time: Double
    /// The time that reducers were given; nil when none asked.
    let toldTime: Double?
    /// The cause.
    package let cause: Cause
    /// The name of the input, or the source file.
    package let file: String
    /// The line in that file.
    package let line: UInt
    /// The emitting instance; nil for input.
    package let instance: String?
    /// The type.
    package let type: String
    /// The wire form: one line of JSON.
    package let action: [UInt8]
    /// Why the payload was not recorded; nil for an action recorded whole.
    package let encodingFailure: String?

    /// Creates the entry of a journal record.
    package init(_ record: JournalRecord) {
        sequence = record.sequence
        epoch = record.epoch
        generation = record.generation
        time = record.batchTime
        toldTime = record.time
        cause =
            switch record.cause {
            case .unknown: .unknown
            case .input(let number): .input(number)
            case .output(let sequence): .output(of: sequence)
            case .effect(let sequence): .effect(of: sequence)
            case .own(let sequence): .own(of: sequence)
            }
        file = record.file
        line = record.line
        instance = record.instance
        type = record.type
        action = record.bytes
        encodingFailure = record.encodingFailure
    }

    /// The cause in words.
    package var origin: String {
        let by = instance.map { " by \($0)" } ?? ""
        let of = { (sequence: UInt64?) in sequence.map { " of \($0)" } ?? "" }
        return switch cause {
        case .input: instance.map { "input by \($0)" } ?? Quotation.bare("\(file):\(line)")
        case .output(let sequence): "output" + of(sequence) + by
        case .effect(let sequence): "effect" + of(sequence) + by
        case .own(let sequence): "own change" + (sequence.map { " during \($0)" } ?? "") + by
        case .unknown: instance.map { "emitted by \($0)" } ?? Quotation.bare("\(file):\(line)")
        }
    }

    /// The entry for programs.
    package var value: Value {
        var members: Members = [
            "sequence": Value(Int(clamping: sequence)), "epoch": Value(epoch),
            "generation": Value(generation), "time": .double(time),
        ]
        members["toldTime"] = toldTime.map { .double($0) }
        let of = { (kind: String, sequence: UInt64?) -> Value in
            var cause: Members = ["kind": .string(kind)]
            cause["of"] = sequence.map { Value(Int(clamping: $0)) }
            return .object(cause)
        }
        members["cause"] =
            switch cause {
            case .unknown: ["kind": "unknown"]
            case .input(let number): ["kind": "input", "input": Value(Int(clamping: number))]
            case .output(let sequence): of("output", sequence)
            case .effect(let sequence): of("effect", sequence)
            case .own(let sequence): of("own", sequence)
            }
        members["source"] =
            instance.map { ["instance": .string($0)] }
            ?? ["input": .string(file), "line": Value(Int(clamping: line))]
        members["misfit"] = encodingFailure.map { .string($0) }
        members["action"] = (try? JSONText.parse(action)) ?? ["type": .string(type)]
        return .object(members)
    }
}
