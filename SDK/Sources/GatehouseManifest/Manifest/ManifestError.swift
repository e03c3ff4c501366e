// SPDX-License-Identifier: Apache-2.0

/// Everything that is wrong with a manifest or a note, in the order of the text.
public struct ManifestError: Error, Equatable, Sendable {
    /// At least one problem.
    public let problems: [ManifestProblem]

    /// Sorts the problems by their place; those at one place keep their order.
    init(_ problems: [ManifestProblem]) {
        self.problems = problems.enumerated().sorted { left, right in
            (left.element.line, left.element.column, left.offset)
                < (right.element.line, right.element.column, right.offset)
        }.map(\.element)
    }
}

extension ManifestError: CustomStringConvertible {
    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
