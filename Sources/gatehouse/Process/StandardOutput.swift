// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Collects results and writes them to the original standard output of the program; callable from any thread.
///
/// Lines wait in memory that a crash still writes: until 64 KiB have accumulated, until the input idles, and at most 50 ms. A process
/// has one of these. `PluginOutput` takes everything else that goes to standard output, such as the output of a plugin.
final class StandardOutput: Sendable {
    /// The state that the lock guards.
    private struct State {
        /// The waiting lines, also kept where a crash finds them, followed by the line being written.
        var lines: [UInt8] = []
        /// Whether to write each line at once, because the next one may be long in coming.
        var isInputIdle = false
        /// The error that ended the output, 0 for none.
        var failure: Int32 = 0
    }

    /// Held while lines are written, so that they stay whole.
    private let state = Mutex(State())
    /// Whether the results go to a terminal.
    private let isTerminal: Bool
    /// Asked to end the run when results can no longer be written.
    private let stop: StopRequest
    /// Wakes the thread that writes lines which have waited long enough.
    private let alarm = WakePipe()

    /// Creates the writer of results.
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

    /// The maximum time that a line waits, in microseconds.
    private static let longestWait: UInt32 = 50_000

    /// Appends one or several lines of JSON, with terminal control characters escaped. Calls `write` with the lock held, and drops what
    /// it appended if it throws.
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
            if isTerminal || state.isInputIdle { return flush(&state) }
            if start == 0 { alarm.wake() }
        }
    }

    /// Appends one or several lines of text, with terminal control characters escaped.
    func writeText(_ text: String) { writeLine { $0 += Array(Quotation.lines(text).utf8) } }

    /// Writes the waiting lines, and from here on each line at once, while the input is idle.
    func setInputIdle(_ isInputIdle: Bool) {
        state.withLock { state in
            state.isInputIdle = isInputIdle
            if isInputIdle { flush(&state) }
        }
    }

    /// Writes the waiting lines.
    ///
    /// - Returns: the error that ended the output, 0 for none; `EPIPE` when the reader has left.
    func flush() -> Int32 {
        state.withLock { state in
            flush(&state)
            return state.failure
        }
    }

    // MARK: - Implementation details

    /// Queues the line that begins at an offset; returns false when there is no room.
    @inline(__always)
    private static func append(_ lines: [UInt8], from start: Int) -> Bool {
        unsafe lines.withUnsafeBytes { lines in
            unsafe gatehouse_output_append(lines.baseAddress.map { unsafe $0 + start }, lines.count - start)
        }
    }

    /// Writes all waiting lines, then queues the current one; writes it too if there is still no room.
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

    /// Writes all waiting lines, unless the output has ended.
    private func flush(_ state: inout State) {
        if state.failure == 0 { note(gatehouse_output_flush(), &state) }
        state.lines.removeAll(keepingCapacity: true)
    }

    /// Records the error that ends the output.
    private func note(_ failure: Int32, _ state: inout State) {
        guard failure != 0 else { return }
        state.failure = failure
        stop.ask(.outputFailed(failure))
    }
}
