// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
public import GatehouseValue

/// An action of the past, as a journal tells it.
public struct HistoryEntry: Equatable, Sendable {
    /// What led to an action.
    public enum Cause: Equatable, Sendable {
        /// Nobody has told.
        case unknown
        /// It came in as the input with the number.
        case input(UInt64)
        /// An instance answered the action with the number; nil where that is not known.
        case output(of: UInt64?)
        /// An effect emitted it that the action with the number had started; nil where that is not known.
        case effect(of: UInt64?)
        /// An interceptor changed its own state by it while the action with the number was in hand.
        case own(of: UInt64?)

        /// The number of the action that led to it; nil for an input, and where it is not known.
        public var sequence: UInt64? {
            switch self {
            case .unknown, .input: nil
            case .output(let sequence), .effect(let sequence), .own(let sequence): sequence
            }
        }
    }

    /// Its number among all actions, from 1.
    public let sequence: UInt64
    /// The number of the run that has processed it.
    public let epoch: Int
    /// The number of the generation in that run.
    public let generation: Int
    /// When it was written down, in seconds since 1970.
    public let time: Double
    /// What reducers were told that the time is; nil when none asked.
    public let toldTime: Double?
    /// What led to it.
    public let cause: Cause
    /// The name of its input, or the file of its place in code.
    public let file: String
    /// The line there.
    public let line: UInt
    /// The instance that emitted it; nil for input.
    public let instance: String?
    /// Its type.
    public let type: String
    /// Its wire form: one line of JSON.
    public let action: [UInt8]
    /// Why its payload was not written down; nil for an action that is whole.
    public let misfit: String?

    /// The entry that a record of a journal tells of.
    init(_ record: JournalRecord) {
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
        misfit = record.misfit
    }

    /// What led to it, in words.
    public var origin: String {
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
    public var value: Value {
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
        members["misfit"] = misfit.map { .string($0) }
        members["action"] = (try? JSONText.parse(action)) ?? ["type": .string(type)]
        return .object(members)
    }
}
