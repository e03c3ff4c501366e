// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// A terminal that shows one page in place of what it showed, until it is restored.
final class Terminal {
    /// The settings that the terminal had before, to be restored.
    private var settings = termios()
    /// Whether it is again as it was.
    private var isRestored = false
    /// Gives the numbers of signals that would end the process.
    let signals: Int32

    /// Takes over the terminal; nil when standard input or output is none.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            unsafe tcgetattr(STDIN_FILENO, &settings) == 0
        else { return nil }
        signals = gatehouse_signals_open()
        var raw = settings
        // Keys come at once, are not shown, and none of them is a signal.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    deinit { restore() }

    /// Shows what it showed before.
    func restore() {
        guard !isRestored else { return }
        isRestored = true
        Self.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// Its size in characters; that of the smallest usual one where it does not say.
    var size: (rows: Int, columns: Int) {
        var rows: Int32 = 0
        var columns: Int32 = 0
        guard unsafe gatehouse_terminal_size(STDOUT_FILENO, &rows, &columns) == 0, rows > 0, columns > 0
        else { return (24, 80) }
        return (Int(rows), Int(columns))
    }

    /// Shows a page; what is left of the one before is cleared.
    func show(_ lines: [String]) {
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        Self.write("\u{1B}[H" + text + "\u{1B}[J")
    }

    /// Writes all of a text; nobody can be told of a failure.
    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe gatehouse_write_within(STDOUT_FILENO, bytes, bytes.count, 1_000)
    }
}
