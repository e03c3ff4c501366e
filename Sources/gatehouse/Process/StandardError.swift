// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Writes words to standard error; callable from any thread, one write a line.
enum StandardError {
    /// Writes one line. A failure cannot be told to anybody.
    static func writeLine(_ line: String) {
        let bytes = Array((line + "\n").utf8)
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
