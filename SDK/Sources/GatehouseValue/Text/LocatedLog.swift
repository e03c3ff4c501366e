// SPDX-License-Identifier: Apache-2.0

/// Takes what is wrong with one text while it is read. Belongs to that reading; not shared between threads.
public final class LocatedLog {
    /// What messages call the text; empty where nobody asks.
    public let file: String
    /// The problems in the order found.
    private var found: [LocatedProblem] = []

    /// A log without problems; messages call the text by the name in `file`.
    public init(file: String = "") {
        self.file = file
    }

    /// Notes a problem at a place of the text.
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
