// SPDX-License-Identifier: Apache-2.0

/// Collects the problems of one text during a reading. Belongs to that reading; not shared between threads.
public final class LocatedLog {
    /// The name of the text in messages; empty if unused.
    public let file: String
    /// The problems in the order found.
    private var found: [LocatedProblem] = []

    /// Creates a log without problems; `file` names the text in messages.
    public init(file: String = "") {
        self.file = file
    }

    /// Records a problem at a place of the text.
    public func report(_ words: String, at position: TextPosition, path: LocatedPath, isWarning: Bool = false)
    {
        found.append(LocatedProblem(words, at: position, path: path, isWarning: isWarning))
    }

    /// The problems in the order of the text; several at one position in the order found.
    public var problems: [LocatedProblem] {
        found.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element)
    }
}
