// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
internal import GatehouseSupport
package import GatehouseValue

extension JournalRecord {
    /// The cause in words.
    package var origin: String {
        let by = instance.map { " by \($0)" } ?? ""
        let of = { (sequence: UInt64?) in sequence.map { " of \($0)" } ?? "" }
        return switch cause {
        case .input: instance.map { "input by \($0)" } ?? Quotation.bare("\(file):\(line)")
        case .output(let sequence): "output" + of(sequence) + by
        case .effect(let sequence): "effect" + of(sequence) + by
        case .own(let sequence): "own change" + (sequence.map { " during \($0)" } ?? "") + by
        case .interception(let input):
            "interception" + (input.map { " of input \($0)" } ?? "") + by
        case .unknown: instance.map { "emitted by \($0)" } ?? Quotation.bare("\(file):\(line)")
        }
    }

    /// The action in its wire form; the type alone where the bytes are none.
    var action: Value { (try? JSONText.parse(bytes)) ?? ["type": .string(type)] }

    /// When reducers were told it was, or else when its batch was written.
    var moment: Double { time ?? batchTime }

    /// The record for programs.
    package var value: Value {
        var members: Members = [
            "sequence": Value(sequence), "epoch": Value(epoch), "generation": Value(generation),
            "time": .double(batchTime),
        ]
        members["toldTime"] = time.map(Value.double)
        let (kind, input): (Value, UInt64?) =
            switch cause {
            case .unknown: ("unknown", nil)
            case .input(let number): ("input", number)
            case .output: ("output", nil)
            case .effect: ("effect", nil)
            case .own: ("own", nil)
            case .interception(let number): ("interception", number)
            }
        var origin: Members = ["kind": kind]
        origin["input"] = input.map { Value($0) }
        origin["of"] = cause.sequence.map { Value($0) }
        members["cause"] = .object(origin)
        members["source"] =
            instance.map { ["instance": .string($0)] } ?? ["input": .string(file), "line": Value(line)]
        members["misfit"] = encodingFailure.map(Value.string)
        members["action"] = action
        return .object(members)
    }
}
