// SPDX-License-Identifier: Apache-2.0

/// Writes lines for the operator; callable from any thread.
public struct PluginLog: Sendable {
    /// How much a line matters, from the least to the most.
    public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
        /// What helps the plugin's author only.
        case debug
        /// What an operator may want to see in ordinary work.
        case info
        /// What an operator should look at, while the plugin goes on.
        case warning
        /// What the plugin could not do.
        case error

        public static func < (lhs: Level, rhs: Level) -> Bool {
            lhs.rank < rhs.rank
        }

        /// The place in the order, from 0 for what matters least.
        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }
    }

    /// The least level that is written; look here before making a line that costs something.
    public let minimum: Level
    /// Takes the lines that are written.
    private let write: @Sendable (Level, String) -> Void

    /// A log that hands lines from `minimum` on to a closure, which must be callable from any thread.
    public init(minimum: Level = .debug, _ write: @escaping @Sendable (Level, String) -> Void) {
        self.minimum = minimum
        self.write = write
    }

    /// Writes one line unless its level is below `minimum`; a line break inside it is kept.
    public func callAsFunction(_ level: Level, _ line: String) {
        if level >= minimum { write(level, line) }
    }

    /// Writes one line of level `info`.
    public func callAsFunction(_ line: String) {
        self(.info, line)
    }
}
