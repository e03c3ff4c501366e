// SPDX-License-Identifier: Apache-2.0

import GatehouseValue

/// Collects what is wrong while one file is read. Belongs to that one reading; not shared between threads.
final class ProblemLog {
    /// The file's name as messages show it.
    let file: String
    /// The problems in the order found.
    private var problems: [ConfigurationProblem] = []

    /// An empty log for a file.
    init(file: String) {
        self.file = file
    }

    /// Notes one problem.
    func report(
        _ reason: ConfigurationProblem.Reason, at position: TextPosition, pointer: JSONPointer,
        severity: ConfigurationProblem.Severity = .error
    ) {
        report(
            ConfigurationProblem(
                file: file, position: position, pointer: pointer, severity: severity, reason: reason))
    }

    /// Notes a problem whose place is already known.
    func report(_ problem: ConfigurationProblem) {
        problems.append(problem)
    }

    /// The problems in the order of the file; several at one position in the order found.
    var sorted: [ConfigurationProblem] {
        problems.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }
}
