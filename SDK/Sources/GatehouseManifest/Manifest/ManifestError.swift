// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// All problems of a manifest or a note, in the order of the text.
public struct ManifestError: Error, Equatable, Sendable {
    /// At least one problem.
    public let problems: [LocatedProblem]

    /// Creates an error from problems in their order.
    init(_ problems: [LocatedProblem]) { self.problems = problems }
}

extension ManifestError: CustomStringConvertible {
    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
