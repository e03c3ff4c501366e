// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK
public import GatehouseSupport

/// The outcome of one case.
public struct CaseOutcome: Sendable {
    /// A failed expectation of the case.
    public struct Failure: Sendable {
        /// The place of the expectation in the file, and what differs.
        public let finding: Finding
        /// The expected and found lines; empty where the sentence says it all.
        public let difference: [DifferenceLine]
    }

    /// The name of the case.
    public let name: String
    /// The position of the case in its file.
    public let position: TextPosition
    /// The failures, in the order of checking; empty for a case that has passed.
    public internal(set) var failures: [Failure] = []
    /// The number of effects that the case stubbed.
    public internal(set) var stubbedEffects = 0
    /// The log lines of instances, in order.
    public internal(set) var log: [String] = []

    /// Whether all expectations were met.
    public var hasPassed: Bool { failures.isEmpty }

    /// The outcome for programs.
    public var json: Value {
        [
            "name": .string(name), "line": Value(position.line), "passed": .bool(hasPassed),
            "stubbedEffects": Value(stubbedEffects), "failures": .array(failures.map(\.json)),
            "log": .array(log.map(Value.string)),
        ]
    }
}

extension CaseOutcome.Failure {
    /// The failure for programs.
    fileprivate var json: Value {
        let texts = { (pick: (DifferenceLine) -> String?) in
            Value.array(difference.compactMap(pick).map(Value.string))
        }
        return [
            "line": finding.place.map { Value($0.position.line) } ?? .null,
            "column": finding.place.map { Value($0.position.column) } ?? .null,
            "pointer": finding.place.map { .string("\($0.pointer)") } ?? .null,
            "message": .string(finding.sentence),
            "missing": texts { if case .expected(let text) = $0 { text } else { nil } },
            "unexpected": texts { if case .found(let text) = $0 { text } else { nil } },
        ]
    }
}
