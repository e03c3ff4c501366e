// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseHost
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Collects results and writes them where standard output led when the program began; callable from any thread.
///
/// Lines wait in memory that a crash still writes: until 64 KiB are together, until the input idles, and at most 50 ms. There
/// is one of these in a process. What else goes to standard output, such as the words of a plugin, is taken by `PluginOutput`.
final class StandardOutput: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// The lines that wait, as they also stand where a crash finds them, and behind them the one in hand.
        var lines: [UInt8] = []
        /// Whether each line is written at once, because nobody knows when the next one comes.
        var isQuiet = false
        /// The error that ended the output, 0 for none.
        var failure: Int32 = 0
    }

    /// Held while lines are written, so that they stay whole.
    private let state = Mutex(State())
    /// Whether somebody watches each line.
    private let isTerminal: Bool
    /// Asked to end the run when results can no longer be written.
    private let stop: StopRequest
    /// Wakes the thread that writes what has waited long enough.
    private let alarm = WakePipe()

    /// Results for standard output.
    ///
    /// - Parameters:
    ///   - descriptor: where standard output led when the program began.
    ///   - stop: asked to end the run when the reader has left or the disk is full.
    init(descriptor: Int32, stop: StopRequest) {
        isTerminal = isatty(descriptor) == 1
        self.stop = stop
        gatehouse_output_open(descriptor)
        BackgroundThread.start { [alarm, weak self] in
            while true {
                alarm.wait()
                usleep(Self.longestWait)
                guard let self else { return }
                _ = self.flush()
            }
        }
    }

    /// How long a line waits at most, in microseconds.
    private static let longestWait: UInt32 = 50_000

    /// Adds a line of JSON, or several; what a terminal would obey in them is escaped. `write` is called with the lock held, and what it
    /// appended before it throws is dropped.
    func writeLine<Failure: Error>(_ write: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard state.failure == 0 else { return }
            let start = state.lines.count
            do throws(Failure) {
                try write(&state.lines)
            } catch {
                state.lines.removeSubrange(start...)
                throw error
            }
            Quotation.escapeControls(in: &state.lines, from: start)
            state.lines.append(UInt8(ascii: "\n"))
            if !Self.append(state.lines, from: start) { flush(andThenLineAt: start, &state) }
            if isTerminal || state.isQuiet { return flush(&state) }
            if start == 0 { alarm.wake() }
        }
    }

    /// Adds text of a line or several; what a terminal would obey in it is escaped.
    func writeText(_ text: String) { writeLine { $0 += Array(Quotation.lines(text).utf8) } }

    /// Writes what waits, and from here on each line at once, while the input is quiet.
    func setQuiet(_ isQuiet: Bool) {
        state.withLock { state in
            state.isQuiet = isQuiet
            if isQuiet { flush(&state) }
        }
    }

    /// Writes what waits.
    ///
    /// - Returns: the error that ended the output, 0 for none; `EPIPE` when the reader has left.
    func flush() -> Int32 {
        state.withLock { state in
            flush(&state)
            return state.failure
        }
    }

    // MARK: - Implementation details

    /// Lets the line wait that begins at a place; false when there is no room.
    @inline(__always)
    private static func append(_ lines: [UInt8], from start: Int) -> Bool {
        unsafe lines.withUnsafeBytes { lines in
            unsafe gatehouse_output_append(lines.baseAddress.map { unsafe $0 + start }, lines.count - start)
        }
    }

    /// Writes all that waits, and makes room for the line in hand; one that finds none even then is written too.
    @inline(never)
    private func flush(andThenLineAt start: Int, _ state: inout State) {
        let line = Array(state.lines[start...])
        flush(&state)
        if Self.append(line, from: 0) {
            state.lines = line
            alarm.wake()
        } else if state.failure == 0 {
            note(unsafe gatehouse_output_write(line, line.count), &state)
        }
    }

    /// Writes all that waits, unless the output has ended.
    private func flush(_ state: inout State) {
        if state.failure == 0 { note(gatehouse_output_flush(), &state) }
        state.lines.removeAll(keepingCapacity: true)
    }

    /// Keeps the error that ends the output.
    private func note(_ failure: Int32, _ state: inout State) {
        guard failure != 0 else { return }
        state.failure = failure
        stop.ask(.outputFailed(failure))
    }
}
