// SPDX-License-Identifier: Apache-2.0

/// Writes lines for the operator; callable from any thread.
public struct PluginLog: Sendable {
    /// The importance of a line, from the least to the most.
    public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
        /// For the plugin's author only.
        case debug
        /// For an operator, in ordinary work.
        case info
        /// For an operator to look at, while the plugin continues.
        case warning
        /// For something that the plugin could not do.
        case error

        public static func < (lhs: Level, rhs: Level) -> Bool { lhs.rank < rhs.rank }

        /// The place in the order; 0 is the least important.
        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The lowest level that is written; check it before making a line that costs something.
    public let minimum: Level
    /// Takes the written lines.
    private let write: @Sendable (Level, String) -> Void

    /// Creates a log that passes lines from `minimum` on to a closure, which must be callable from any
    /// thread.
    public init(minimum: Level = .debug, _ write: @escaping @Sendable (Level, String) -> Void) {
        self.minimum = minimum
        self.write = write
    }

    /// Writes one line unless its level is below `minimum`; a line break inside it is kept.
    public func callAsFunction(_ level: Level, _ line: String) {
        if level >= minimum { write(level, line) }
    }

    /// Writes one line of level `info`.
    public func callAsFunction(_ line: String) { self(.info, line) }
}
