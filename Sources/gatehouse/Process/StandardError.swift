// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Writes lines to standard error; callable from any thread, one write per line.
enum StandardError {
    /// The form of lines, and the lowest level that is written; everything as text until a host has read its configuration.
    private static let style = Mutex(LogConfiguration())

    /// Writes lines as a configuration asks, from here on; also those of a thread that crashes.
    static func follow(_ configuration: LogConfiguration) {
        style.withLock { $0 = configuration }
        gatehouse_tell_crashes_as_json(configuration.format == .json)
    }

    /// The line for an entry, with its end; nil for one below the level.
    static func line(_ entry: LogEntry) -> String? { style.withLock { $0 }.line(entry) }

    /// Writes an entry, unless its level is too low. Ignores failures, because there is nobody to report them to.
    static func write(_ entry: LogEntry) {
        if let line = line(entry) { write(line) }
    }

    /// Writes a line and the indented lines below it.
    static func writeLine(_ line: String, _ level: PluginLog.Level = .info) { write(.lines(level, line)) }

    /// Writes a sentence of the program itself.
    static func tell(_ sentence: String, _ level: PluginLog.Level = .info) { write(.own(level, sentence)) }

    /// Writes a sentence of the program itself with lines below it that take a moment: as text the sentence does not wait for them, as JSON
    /// they are one entry.
    static func tell(_ sentence: String, _ level: PluginLog.Level, with lines: () -> [String]) {
        guard style.withLock({ $0.format == .json }) else {
            tell(sentence, level)
            for line in lines() { writeLine("  " + line, level) }
            return
        }
        tell(sentence + lines().map { "\n  " + $0 }.joined(), level)
    }

    /// Writes a sentence in which the program itself warns.
    static func warn(_ sentence: String) { write(.warning(sentence)) }

    /// Writes text unchanged, such as a progress line that replaces itself.
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Whether standard error is a terminal on which a line may replace itself.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 && style.withLock { $0.format == .text } }
}
