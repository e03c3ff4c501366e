// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The outcome of a check.
package enum CheckOutcome: String, CaseIterable, Codable, Sendable {
    /// The plugin meets the expectation.
    case pass
    /// Something could be better; nothing is broken.
    case warn
    /// The plugin does not meet the expectation.
    case fail
    /// The check could not finish, because the plugin ended its process or had to be ended.
    case crash
    /// There was nothing to check, or a prerequisite check did not pass.
    case skip
}

/// The diagnostic of a check; thrown to end the check early.
package struct CheckDiagnostic: Error, Codable, Equatable, Sendable {
    /// The outcome of the check.
    let outcome: CheckOutcome
    /// What was expected, what was found and what to do, or why there was nothing to check; empty for a pass.
    let sentences: [String]

    /// The expectation is met.
    static let pass = CheckDiagnostic(outcome: .pass, sentences: [])

    /// Something could be better, unless the expectation is met.
    static func warn(_ sentence: @autoclosure () -> String, unless isMet: Bool = false) -> CheckDiagnostic {
        isMet ? .pass : CheckDiagnostic(outcome: .warn, sentences: [sentence()])
    }

    /// The expectation is not met, unless it is.
    static func fail(_ sentence: @autoclosure () -> String, unless isMet: Bool = false) -> CheckDiagnostic {
        isMet ? .pass : CheckDiagnostic(outcome: .fail, sentences: [sentence()])
    }

    /// There is nothing to check.
    static func skip(_ sentence: String) -> CheckDiagnostic {
        CheckDiagnostic(outcome: .skip, sentences: [sentence])
    }

    /// The check could not finish.
    static func crash(_ sentence: String) -> CheckDiagnostic {
        CheckDiagnostic(outcome: .crash, sentences: [sentence])
    }

    /// A failure for each of the sentences; a pass without any.
    static func fail(forEach sentences: [String]) -> CheckDiagnostic {
        sentences.isEmpty ? .pass : CheckDiagnostic(outcome: .fail, sentences: sentences)
    }

    /// A warning for each of the sentences; a pass without any.
    static func warn(forEach sentences: [String]) -> CheckDiagnostic {
        sentences.isEmpty ? .pass : CheckDiagnostic(outcome: .warn, sentences: sentences)
    }
}

/// The result of one check.
package struct CheckResult: Equatable, Sendable {
    /// The name of the check.
    package let name: String
    /// The outcome.
    package let outcome: CheckOutcome
    /// What was expected, what was found and what to do; or why it was skipped.
    package let sentences: [String]
    /// The calls in which the plugin crashed, innermost first; empty where unknown.
    package let calls: [String]

    /// Creates the result of a check.
    init(_ name: String, _ diagnostic: CheckDiagnostic, calls: [String] = []) {
        self.name = name
        outcome = diagnostic.outcome
        sentences = diagnostic.sentences
        self.calls = calls
    }

    /// Whether the check failed or crashed.
    package var isBad: Bool { outcome == .fail || outcome == .crash }

    /// The result as JSON.
    package var value: Value {
        [
            "name": .string(name), "outcome": .string(outcome.rawValue),
            "sentences": .array(sentences.map(Value.string)), "calls": .array(calls.map(Value.string)),
        ]
    }
}
