// SPDX-License-Identifier: Apache-2.0

public import GatehouseSDK

/// What became of a check.
public enum CheckOutcome: String, CaseIterable, Sendable {
    /// The plugin is as expected.
    case pass
    /// Something is better done otherwise, and nothing is broken.
    case warn
    /// The plugin is not as expected.
    case fail
    /// The check could not come to its end, because the plugin ended its process or had to be ended.
    case crash
    /// There was nothing to look at, or a check that this one relies on was not passed.
    case skip
}

/// What a check has found; thrown where there is no use in going on.
struct CheckFinding: Error, Equatable, Sendable {
    /// What becomes of the check.
    let outcome: CheckOutcome
    /// What was expected, what was found and what to do, or why there was nothing to look at; empty where all is as expected.
    let sentences: [String]

    /// All is as expected.
    static let pass = CheckFinding(outcome: .pass, sentences: [])

    /// Something is better done otherwise.
    static func warn(_ sentence: String) -> CheckFinding {
        CheckFinding(outcome: .warn, sentences: [sentence])
    }

    /// Something is not as expected.
    static func fail(_ sentence: String) -> CheckFinding {
        CheckFinding(outcome: .fail, sentences: [sentence])
    }

    /// There is nothing to look at.
    static func skip(_ sentence: String) -> CheckFinding {
        CheckFinding(outcome: .skip, sentences: [sentence])
    }

    /// Something is not as expected for each of these sentences; all is well without one.
    static func fail(forEach sentences: [String]) -> CheckFinding {
        sentences.isEmpty ? .pass : CheckFinding(outcome: .fail, sentences: sentences)
    }

    /// Something is better done otherwise for each of these sentences; all is well without one.
    static func warn(forEach sentences: [String]) -> CheckFinding {
        sentences.isEmpty ? .pass : CheckFinding(outcome: .warn, sentences: sentences)
    }
}

/// One check and what it has found.
public struct CheckResult: Equatable, Sendable {
    /// The name of the check.
    public let name: String
    /// What became of it.
    public let outcome: CheckOutcome
    /// What was expected, what was found and what to do; or why it was skipped.
    public let sentences: [String]
    /// The calls in which the plugin died, the innermost first; empty where none are known.
    public let calls: [String]

    /// A result.
    init(_ name: String, _ finding: CheckFinding, calls: [String] = []) {
        self.name = name
        outcome = finding.outcome
        sentences = finding.sentences
        self.calls = calls
    }

    /// Whether the plugin is not as expected.
    public var isBad: Bool { outcome == .fail || outcome == .crash }

    /// The same as JSON.
    public var value: Value {
        [
            "name": .string(name), "outcome": .string(outcome.rawValue),
            "sentences": .array(sentences.map(Value.string)), "calls": .array(calls.map(Value.string)),
        ]
    }
}
