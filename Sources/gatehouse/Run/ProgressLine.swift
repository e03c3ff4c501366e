// SPDX-License-Identifier: Apache-2.0

/// Shows the progress of a long run on one line that replaces itself; only on a terminal.
struct ProgressLine {
    /// The moment at which the run began.
    private let start = ContinuousClock.now
    /// When the line is next written.
    private var next: ContinuousClock.Instant
    /// Whether there is a line to remove.
    private var isShown = false

    /// Shows the line after a second, then four times a second.
    init() { next = start.advanced(by: .seconds(1)) }

    /// Records how many lines have been read.
    mutating func update(lines: Int) {
        let now = ContinuousClock.now
        guard now >= next else { return }
        next = now.advanced(by: .milliseconds(250))
        let seconds = start.duration(to: now) / .seconds(1)
        StandardError.write("\r\u{1B}[Kgatehouse: \(lines) lines, \(Int(Double(lines) / seconds)) a second")
        isShown = true
    }

    /// Removes the line from the terminal.
    mutating func finish() {
        if isShown { StandardError.write("\r\u{1B}[K") }
        isShown = false
    }
}
