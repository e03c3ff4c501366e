// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK
public import GatehouseSupport

/// What came of one case.
public struct CaseOutcome: Sendable {
    /// One thing that is not as the case expects.
    public struct Failure: Sendable {
        /// Where in the file of cases it is expected, and what is otherwise.
        public let finding: Finding
        /// Line by line, what was expected and what was found; empty where the sentence says all.
        public let difference: [DifferenceLine]
    }

    /// What the case is called.
    public let name: String
    /// Where it begins in its file.
    public let position: TextPosition
    /// What is not as expected, in the order in which it was looked at; empty for a case that has passed.
    public internal(set) var failures: [Failure] = []
    /// How many effects were not run, because the case wants it so.
    public internal(set) var stubbedEffects = 0
    /// What instances wrote for the operator, in order.
    public internal(set) var log: [String] = []

    /// Whether everything was as expected.
    public var hasPassed: Bool { failures.isEmpty }

    /// The same for programs.
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
