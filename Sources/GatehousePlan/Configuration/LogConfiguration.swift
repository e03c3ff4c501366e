// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK
package import GatehouseSupport
package import GatehouseValue

/// The key `log`: in which form the host writes its log to standard error, and from which level on.
package struct LogConfiguration: Equatable, Sendable {
    /// The form of a line.
    package var format: LogEntry.Format
    /// The lowest level that is written.
    package var level: PluginLog.Level

    /// A log; without arguments, as it is without the key: all of it, as text.
    package init(format: LogEntry.Format = .text, level: PluginLog.Level = .debug) {
        (self.format, self.level) = (format, level)
    }

    /// The keys.
    enum Key: String, CaseIterable {
        case format, level
    }

    /// Reads the value of `log`; nil, with a report, if it is no object.
    package static func read(_ node: LocatedNode) -> LogConfiguration? {
        guard let reader = ObjectReader<Key>(node) else { return nil }
        var log = LogConfiguration()
        reader.set(&log.format, to: .format) { $0.choice() }
        reader.set(&log.level, to: .level) { $0.choice() }
        return log
    }

    /// The line for an entry, with its end; nil for one below the level.
    package func line(_ entry: LogEntry) -> String? {
        entry.level < level ? nil : entry.line(as: format) + "\n"
    }
}
