// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// A terminal that shows one page instead of its own contents until it is restored.
final class Terminal {
    /// The settings to restore.
    private var settings = termios()
    /// Whether the terminal has been restored.
    private var isRestored = false
    /// A descriptor that yields the numbers of signals that would end the process.
    let signals: Int32

    /// Takes over the terminal; nil when standard input or output is not one.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
            unsafe tcgetattr(STDIN_FILENO, &settings) == 0
        else { return nil }
        signals = gatehouse_signals_open()
        var raw = settings
        // Keys arrive at once, are not echoed, and none of them raises a signal.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        Self.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    deinit { restore() }

    /// Restores the former contents and settings.
    func restore() {
        guard !isRestored else { return }
        isRestored = true
        Self.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
    }

    /// The size in characters; the smallest usual size where the terminal reports none.
    var size: (rows: Int, columns: Int) {
        var size = winsize()
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0
        else { return (24, 80) }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// Shows a page, and clears the rest of the one before.
    func show(_ lines: [String]) {
        let text = lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
        Self.write("\u{1B}[H" + text + "\u{1B}[J")
    }

    /// Writes a whole text; ignores failures, because there is nobody to report them to.
    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe gatehouse_write_within(STDOUT_FILENO, bytes, bytes.count, 1_000)
    }
}
