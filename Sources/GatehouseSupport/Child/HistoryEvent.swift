// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// What a child that tries something on the past tells the host: one JSON object a line, and a word at the end.
package enum HistoryEvent: Equatable, Sendable {
    /// This action is dispatched next.
    case step(sequence: UInt64, type: String, origin: String)
    /// All was gone over: whether all is the same, and what there is to say.
    case outcome(isSame: Bool, lines: [String])
    /// What was asked for.
    case answer(Value)
    /// It cannot be tried; why, line by line.
    case failure([String])
    /// The child has nothing more to do.
    case end

    /// The event as it is told.
    package var line: String {
        let value: Value =
            switch self {
            case .step(let sequence, let type, let origin):
                [
                    "step": Value(Int(clamping: sequence)), "type": .string(type),
                    "origin": .string(origin),
                ]
            case .outcome(let isSame, let lines):
                ["same": .bool(isSame), "lines": .array(lines.map { .string($0) })]
            case .answer(let value): ["answer": value]
            case .failure(let lines): ["failure": .array(lines.map { .string($0) })]
            case .end: .null
            }
        return self == .end ? HostChild.lastLine : value.json()
    }

    /// Reads an event; nil for a line that no such child tells.
    package init?(line: Substring) {
        if line == HostChild.lastLine {
            self = .end
            return
        }
        guard line.hasPrefix("{"), let value = try? JSONText.parse(String(line)) else { return nil }
        let texts = { (value: Value) in value.arrayValue?.compactMap(\.stringValue) ?? [] }
        if let sequence = value["step"]?.intValue, sequence >= 0 {
            self = .step(
                sequence: UInt64(sequence), type: value["type"]?.stringValue ?? "",
                origin: value["origin"]?.stringValue ?? "")
        } else if case .bool(let isSame)? = value["same"], let lines = value["lines"] {
            self = .outcome(isSame: isSame, lines: texts(lines))
        } else if let answer = value["answer"] {
            self = .answer(answer)
        } else if let lines = value["failure"] {
            self = .failure(texts(lines))
        } else {
            return nil
        }
    }
}
