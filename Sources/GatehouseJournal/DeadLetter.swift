// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
internal import GatehouseSupport

/// An action that came to nothing where it should have come to something, kept so that somebody can look into it and dispatch
/// it again.
package struct DeadLetter: Equatable, Sendable, Codable {
    /// Why actions become dead letters; the raw values are the words for operators.
    package enum Kind: String, CaseIterable, Sendable, Codable {
        /// An instance could not read it, or its state after it.
        case misfit
        /// The instance that emitted it may not.
        case refusedOutput = "refused-output"
        /// A reload had taken the instance that emitted it away.
        case late
        /// The process died by it more than once, so it is not tried again.
        case setAside = "set-aside"
        /// The instance that heard it says that it has not done it.
        case failed
        /// Only instances in quarantine would have heard it, or one of them would have decided about it.
        case quarantined
        /// An instance that heard it had begun something for it, which did not end and is not begun again.
        case unfinished
        /// The interceptor of an instance stopped it, whose entry asks to keep such actions.
        case stopped
        /// The gate of an instance kept it from it, whose entry asks to keep such actions.
        case gated
        /// It may not come in, and the configuration of the inputs asks to keep such actions.
        case refusedInput = "refused-input"

        /// Whether somebody has asked for it, who bounds how much there is of it.
        package var isAskedFor: Bool { self == .stopped || self == .gated || self == .refusedInput }
    }

    /// Its number, from 1; given when it is kept, and never again.
    package var id: Int64 = 0
    /// When it was kept, in seconds since 1970.
    package let time: Double
    /// What has kept it from what it was for.
    package let kind: Kind
    /// The same in words, for the operator.
    package let reason: String
    /// Its global type; the local name where it has none.
    package let type: String
    /// The name of the input it came from; empty for one that an instance emitted.
    package let file: String
    /// The line there, from 1; 0 for one that an instance emitted.
    package let line: UInt
    /// The instance that emitted it; nil for input.
    package let emitter: String?
    /// The instance that could not read it, was not let emit it, or did not do it; nil where none is concerned.
    package let instance: String?
    /// Its number in the journal; nil where it has none.
    package let sequence: UInt64?
    /// Its wire form, one line of JSON; empty where it has none or is too long to be kept.
    private let text: String
    /// The same in UTF-8.
    package var action: [UInt8] { Array(text.utf8) }

    /// The members of its stored form, whose number stands beside it.
    private enum CodingKeys: String, CodingKey {
        case time, kind, reason, type, file, line, emitter, instance, sequence
        case text = "action"
    }

    /// A letter without a number.
    ///
    /// - Parameter source: where it came from; nil where that is not known.
    package init(
        _ kind: Kind, type: String, action: [UInt8], from source: ActionSource?, instance: String?,
        sequence: UInt64? = nil, time: Double = UnixTime.now, reason: String
    ) {
        self.time = time
        self.kind = kind
        self.reason = reason
        self.type = type
        let isInput = source != nil && source?.instance == nil
        file = isInput ? source?.file ?? "" : ""
        line = isInput ? source?.line ?? 0 : 0
        emitter = source?.instance
        self.instance = instance
        self.sequence = sequence
        text = String(decoding: action, as: UTF8.self)
    }

    /// The same of an instance, under another type; without its number in a journal, because another recorder gave that.
    package func under(_ type: String, of instance: String) -> DeadLetter {
        var bytes = action
        if type != self.type, var form = try? JSONText.parse(text) {
            form.set(.string(type), at: JSONPointer(tokens: ["type"]))
            bytes = []
            form.writeJSON(to: &bytes)
        }
        let place = ActionSource(file: file, function: "", line: line, info: nil)
        let source = emitter.map { place.emitted(by: $0) } ?? (file.isEmpty ? nil : place)
        return DeadLetter(
            kind, type: type, action: bytes, from: source, instance: instance, time: time, reason: reason)
    }

    /// Whether it is the same as an earlier letter, which was kept before a crash without the action that had led to it.
    package func isRepetition(of earlier: DeadLetter) -> Bool {
        sequence != nil && sequence == earlier.sequence && kind == earlier.kind
            && instance == earlier.instance && type == earlier.type && text == earlier.text
    }

    /// Whether it holds the action of an earlier letter, which was dispatched again under a type and from a source.
    ///
    /// What an instance says of actions that it has not done comes without their sources.
    package func isAgain(_ earlier: DeadLetter, as type: String, from source: ActionSource) -> Bool {
        if kind == .failed {
            return earlier.kind == .failed && instance == earlier.instance && self.type == type
        }
        guard source.instance == nil else { return emitter == source.instance }
        return file == source.file && line == source.line
    }

    /// The letter as the control socket tells it; without what is not there.
    package var value: Value {
        var members: Members = [
            "id": Value(Int(id)), "time": .double(time), "kind": .string(kind.rawValue),
            "reason": .string(reason), "type": .string(type),
        ]
        if let instance { members["instance"] = .string(instance) }
        if let emitter {
            members["source"] = ["instance": .string(emitter)]
        } else if !file.isEmpty {
            members["source"] = ["input": .string(file), "line": Value(Int(clamping: line))]
        }
        if let sequence { members["sequence"] = Value(Int(clamping: sequence)) }
        members["action"] = try? JSONText.parse(text)
        return .object(members)
    }
}
