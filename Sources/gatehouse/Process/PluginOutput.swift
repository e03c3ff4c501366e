// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Captures what plugins write to standard output, where only results belong, and reports it line by line.
///
/// Also captures the output of programs that plugins start.
final class PluginOutput: Sendable {
    /// A copy of the original standard output, for results.
    let results: Int32
    /// The read end of the pipe at descriptor 1, to which plugins write; -1 when the system had no
    /// descriptors left.
    private let words: Int32
    /// Whether a thread reads the pipe.
    private let isListening = Atomic(false)
    /// Asks the thread to report everything written so far.
    private let question = WakePipe()
    /// Woken when the thread has reported it.
    private let answer = WakePipe()
    /// Takes a line without its ending.
    private let tell: @Sendable (String) -> Void

    /// The longest line that is reported in one piece, in bytes.
    private static let longestLine = 1 << 16

    /// Replaces standard output with a pipe.
    ///
    /// - Parameter tell: called with each line, on this object's own thread.
    init(_ tell: @escaping @Sendable (String) -> Void) {
        self.tell = tell
        results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        // Otherwise a reader of the results would wait for the end of each child that a plugin forks.
        gatehouse_own(results)
        var ends: [Int32] = [-1, -1]
        guard results >= 0, unsafe pipe(&ends) == 0 else {
            words = -1
            return
        }
        words = ends[0]
        _ = fcntl(words, F_SETFD, FD_CLOEXEC)
        dup2(ends[1], STDOUT_FILENO)
        close(ends[1])
        // Otherwise the C library would buffer a plugin's output until the process ends.
        gatehouse_print_by_lines()
        let isListening = BackgroundThread.start { [self] in read() }
        self.isListening.store(isListening, ordering: .relaxed)
    }

    /// Waits until everything printed so far is reported.
    func catchUp() {
        guard isListening.load(ordering: .relaxed) else { return }
        _ = fflush(nil)
        question.wake()
        answer.wait()
    }

    // MARK: - Implementation details

    /// Reports lines for the life of the process.
    private func read() {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        var isAsked = false
        while true {
            var watched = [
                pollfd(fd: words, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isAsked ? -1 : question.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&watched, 2, isAsked ? 0 : -1)
            if watched[0].revents != 0 {
                let count = unsafe Glibc.read(words, &chunk, chunk.count)
                if count > 0 { take(chunk[..<count], &line) }
            } else if isAsked {
                // The beginning of a line is reported as it is, because the rest may never come.
                if !line.isEmpty { tell(String(decoding: line, as: UTF8.self)) }
                line = []
                isAsked = false
                answer.wake()
            } else if ready > 0 {
                question.wait()
                isAsked = true
            }
        }
    }

    /// Reports the complete lines, and keeps the beginning of the next.
    private func take(_ bytes: ArraySlice<UInt8>, _ line: inout [UInt8]) {
        for byte in bytes {
            let isEnd = byte == UInt8(ascii: "\n")
            if isEnd || line.count == Self.longestLine {
                tell(String(decoding: line, as: UTF8.self))
                line.removeAll(keepingCapacity: true)
            }
            if !isEnd { line.append(byte) }
        }
    }
}
