// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSupport
private import Glibc

/// Writes words to standard error; callable from any thread, one write a line.
enum StandardError {
    /// Writes a line and those that are set in below it; what a terminal would obey in them is escaped, and so is what would begin a line of
    /// its own, whoever has written it. A failure cannot be told to anybody.
    static func writeLine(_ line: String) {
        let bytes = Array((Quotation.message(line) + "\n").utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Writes text as it is, such as a progress line that replaces itself.
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Whether standard error is a terminal, at which somebody may watch.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
