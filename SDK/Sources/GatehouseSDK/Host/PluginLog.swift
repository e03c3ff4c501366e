// SPDX-License-Identifier: Apache-2.0

/// Writes lines for the operator; callable from any thread.
public struct PluginLog: Sendable {
    /// How much a line matters.
    public enum Level: String, Sendable, Codable, CaseIterable, Comparable {
        case debug, info, warning, error

        public static func < (lhs: Level, rhs: Level) -> Bool {
            lhs.rank < rhs.rank
        }

        private var rank: Int {
            switch self {
            case .debug: 0
            case .info: 1
            case .warning: 2
            case .error: 3
            }
        }
    }

    private let write: @Sendable (Level, String) -> Void

    /// A log that hands each line to a closure, which must be callable from any thread.
    public init(_ write: @escaping @Sendable (Level, String) -> Void) {
        self.write = write
    }

    /// Writes one line; a line break inside it is kept.
    public func callAsFunction(_ level: Level = .info, _ line: String) {
        write(level, line)
    }
}
