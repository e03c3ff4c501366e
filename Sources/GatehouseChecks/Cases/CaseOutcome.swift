// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
package import GatehouseSupport

/// The outcome of one case.
package struct CaseOutcome: Sendable {
    /// A failed expectation of the case.
    package struct Failure: Sendable {
        /// The place of the expectation in the file, and what differs.
        package let diagnostic: Diagnostic
        /// The expected and found lines; empty where the sentence says it all.
        package let difference: [DifferenceLine]

        /// The failure for programs.
        fileprivate var json: Value {
            let texts = { (pick: (DifferenceLine) -> String?) in
                Value.array(difference.compactMap(pick).map(Value.string))
            }
            return [
                "line": diagnostic.place.map { Value($0.position.line) } ?? .null,
                "column": diagnostic.place.map { Value($0.position.column) } ?? .null,
                "pointer": diagnostic.place.map { .string("\($0.pointer)") } ?? .null,
                "message": .string(diagnostic.sentence),
                "missing": texts { if case .expected(let text) = $0 { text } else { nil } },
                "unexpected": texts { if case .found(let text) = $0 { text } else { nil } },
            ]
        }
    }

    /// Why an instance ran in the host.
    package enum HostReason: Sendable {
        /// All were to run there.
        case asked
        /// It cannot run in a worker.
        case obstacle
        /// The case sets the clock.
        case clock
        /// The case stubs its effects.
        case stubs
    }

    /// The name of the case.
    package let name: String
    /// The position of the case in its file.
    package let position: TextPosition
    /// The failures, in the order of checking; empty for a case that has passed.
    package internal(set) var failures: [Failure] = []
    /// The number of effects that the case stubbed.
    package internal(set) var stubbedEffects = 0
    /// Where the instances ran, in chain order: nil for a worker, otherwise why in the host; empty where no host was made.
    package internal(set) var places: [(id: String, reason: HostReason?)] = []
    /// The log lines of instances, in order.
    package internal(set) var log: [String] = []

    /// Whether all expectations were met.
    package var hasPassed: Bool { failures.isEmpty }

    /// The instances that ran in workers, in chain order; nil where none was to.
    private var workers: [String]? {
        places.contains { $0.reason != .asked } ? places.filter { $0.reason == nil }.map(\.id) : nil
    }

    /// What kept instances in the host in this case alone, as part of a sentence; nil for nothing.
    package var hostReason: String? {
        if places.contains(where: { $0.reason == .clock }) { return "in the host, it sets the clock" }
        let stubbed = places.filter { $0.reason == .stubs }.map(\.id)
        guard !stubbed.isEmpty else { return nil }
        return "\(stubbed.joined(separator: ", ")) in the host, effects are stubbed"
    }

    /// The outcome for programs.
    package var json: Value {
        var members: Members = [
            "name": .string(name), "line": Value(position.line), "passed": .bool(hasPassed),
            "stubbedEffects": Value(stubbedEffects), "failures": .array(failures.map(\.json)),
            "log": .array(log.map(Value.string)),
        ]
        members["workers"] = workers.map { .array($0.map(Value.string)) }
        return .object(members)
    }
}
