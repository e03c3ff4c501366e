// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// Writes lines to standard error; callable from any thread, one write per line.
enum StandardError {
    /// Writes a line and the indented lines below it. Escapes control characters, and line breaks that would start a line of its own,
    /// whoever wrote the text. Ignores failures, because there is nobody to report them to.
    static func writeLine(_ line: String) {
        let bytes = Array((Quotation.message(line) + "\n").utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Writes a sentence of the program itself, as `writeLine` does.
    static func tell(_ sentence: String) { writeLine("gatehouse: " + sentence) }

    /// Writes text unchanged, such as a progress line that replaces itself.
    static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// Whether standard error is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }
}
