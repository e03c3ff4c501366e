// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseHost
private import Glibc
private import Synchronization

/// Collects results and writes them where standard output led when the program began; callable from any thread.
///
/// Lines wait in memory that a crash still writes: until 64 KiB are together, until the input idles, and at most 50 ms. There
/// is one of these in a process. What else goes to standard output, such as the words of a plugin, is taken by `PluginOutput`.
final class StandardOutput: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// The line in hand; kept for its memory.
        var line: [UInt8] = []
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
    private let alarm = Alarm()

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
            while alarm.wait() {
                usleep(Self.longestWait)
                guard let self else { return }
                _ = self.flush()
            }
        }
    }

    /// How long a line waits at most, in microseconds.
    private static let longestWait: UInt32 = 50_000

    /// Adds a line; `write`, which is called with the lock held, appends nothing when it throws.
    func writeLine<Failure: Error>(_ write: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard state.failure == 0 else { return }
            state.line.removeAll(keepingCapacity: true)
            try write(&state.line)
            state.line.append(UInt8(ascii: "\n"))
            var waiting = Self.append(state.line)
            if waiting == 0 {
                flush(&state)
                waiting = Self.append(state.line)
                if waiting == 0, state.failure == 0 {
                    note(unsafe gatehouse_output_write(state.line, state.line.count), &state)
                }
            }
            if isTerminal || state.isQuiet { return flush(&state) }
            if waiting == state.line.count { alarm.ring() }
        }
    }

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

    /// Lets a line wait; returns how many bytes wait then, 0 when there is no room.
    @inline(__always)
    private static func append(_ line: [UInt8]) -> Int {
        unsafe line.withUnsafeBytes { unsafe gatehouse_output_append($0.baseAddress, $0.count) }
    }

    /// Writes all that waits, unless the output has ended.
    private func flush(_ state: inout State) {
        if state.failure == 0 { note(gatehouse_output_flush(), &state) }
    }

    /// Keeps the error that ends the output.
    private func note(_ failure: Int32, _ state: inout State) {
        guard failure != 0 else { return }
        state.failure = failure
        stop.ask(.outputFailed(failure))
    }
}
