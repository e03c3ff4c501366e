// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
private import Glibc

/// `gatehouse ctl top`: shows every second what a host does, until the user presses q.
struct TopCommand {
    /// The connection to the host that is shown.
    let host: ControlConnection
    /// Whether to print one page and end, which needs no terminal.
    let isOnce: Bool

    /// The reason why the pages end.
    private enum End {
        /// The user pressed a key.
        case key
        /// A signal with this number arrived.
        case signal(Int32)
    }

    /// Shows pages, and restores the terminal.
    func run() throws(ControlConnection.Failure) -> ExitCode {
        let first = try host.ask("status")
        if isOnce {
            for line in TopPage(status: first, before: nil).lines(rows: .max) { Results.writeLine(line) }
            return .success
        }
        guard let terminal = Terminal() else {
            return .usage.because("ctl top needs a terminal; print one page with --once")
        }
        // On every exit, also when the host has gone.
        defer { terminal.restore() }
        if case .signal(let number) = try show(first, on: terminal) {
            terminal.restore()
            gatehouse_end_by_signal(number)
        }
        return .success
    }

    /// Shows pages until the user ends it.
    private func show(_ first: Value, on terminal: Terminal) throws(ControlConnection.Failure) -> End {
        var page = TopPage(status: first, before: nil)
        draw(page, on: terminal)
        var due = ContinuousClock.now + .seconds(1)
        var isAsked = false
        while true {
            if !isAsked, ContinuousClock.now >= due {
                _ = host.send("status")
                isAsked = true
            }
            var watched = [STDIN_FILENO, terminal.signals, host.descriptor].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            let left = ContinuousClock.now.duration(to: due) / .milliseconds(1)
            _ = unsafe poll(&watched, 3, isAsked ? -1 : Int32(max(0, left.rounded(.up))))
            if watched[1].revents != 0 { return .signal(gatehouse_signals_next(terminal.signals)) }
            if watched[0].revents != 0, hasQuit() { return .key }
            guard watched[2].revents != 0 else { continue }
            try host.read()
            while let message = try host.takeMessage() {
                do throws(ControlConnection.Failure) {
                    page = TopPage(status: try ControlConnection.result(of: message), before: page.status)
                    draw(page, on: terminal)
                } catch {
                    // A busy host may have time later.
                    guard case .refused(let refusal) = error, refusal.code == -32002 else { throw error }
                    draw(page, on: terminal, saying: refusal.message)
                }
                isAsked = false
                due = .now + .seconds(1)
            }
        }
    }

    /// Shows a page with a hint or a message on the last line.
    private func draw(_ page: TopPage, on terminal: Terminal, saying sentence: String = "q quits") {
        let size = terminal.size
        let lines = page.lines(rows: size.rows, columns: size.columns)
        let blanks = Array(repeating: "", count: max(0, size.rows - 1 - lines.count))
        terminal.show(lines + blanks + [TextTable.cut(sentence, size.columns)])
    }

    /// Reads the pressed keys; returns whether one ends the pages: q, Ctrl-C, Ctrl-D, or a closed terminal.
    private func hasQuit() -> Bool {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(STDIN_FILENO, &keys, keys.count)
        guard count > 0 else { return true }
        return keys[..<count].contains { [3, 4, UInt8(ascii: "q"), UInt8(ascii: "Q")].contains($0) }
    }
}
