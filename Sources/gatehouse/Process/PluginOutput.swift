// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import GatehouseHost
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Takes what plugins write to standard output, where only results belong, and tells it line by line.
///
/// Programs that plugins start write there too.
final class PluginOutput: Sendable {
    /// Where standard output led before; results go there.
    let results: Int32
    /// What plugins write to, at descriptor 1; this end reads it. -1 when the system had no descriptors left.
    private let words: Int32
    /// Whether there is a thread that reads them.
    private let isListening = Atomic(false)
    /// Asks the thread to tell what is there.
    private let question = WakePipe()
    /// Woken when that is told.
    private let answer = WakePipe()
    /// Takes a line without its ending.
    private let tell: @Sendable (String) -> Void

    /// The longest line that is told in one piece, in bytes.
    private static let longestLine = 1 << 16

    /// Puts a pipe into the place of standard output.
    ///
    /// - Parameter tell: called with each line, on a thread of this object's own.
    init(_ tell: @escaping @Sendable (String) -> Void) {
        self.tell = tell
        results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        // Whoever reads the results would otherwise wait for the end of each child that a plugin forks.
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
        // Otherwise the C library would keep a plugin's words until the process ends.
        gatehouse_print_by_lines()
        let isListening = BackgroundThread.start { [self] in read() }
        self.isListening.store(isListening, ordering: .relaxed)
    }

    /// Waits until everything that was printed so far is told.
    func catchUp() {
        guard isListening.load(ordering: .relaxed) else { return }
        _ = fflush(nil)
        question.wake()
        answer.wait()
    }

    // MARK: - Implementation details

    /// Tells lines as long as the process lives.
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
                // The beginning of a line is told as it is: nobody knows whether the rest will come.
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

    /// Tells the lines that are whole, and keeps the beginning of the next.
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
