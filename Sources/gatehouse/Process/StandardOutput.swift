// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// Collects results and writes them to standard output; callable from any thread.
final class StandardOutput: Sendable {
    /// What is guarded by the lock.
    private struct Buffer {
        /// Lines that wait to be written, 64 KiB at most and the rest of one line.
        var bytes: [UInt8] = []
        /// Whether each line is written at once, because nobody knows when the next one comes.
        var isQuiet = false
        /// The error that ended the output, 0 for none.
        var failure: Int32 = 0
    }

    /// What waits; the lock is held while it is written, so that lines stay whole.
    private let buffer = Mutex(Buffer())
    /// Whether standard output is a terminal.
    private let flushesEachLine: Bool

    /// Standard output; written at once, line by line, where somebody watches.
    init() {
        flushesEachLine = isatty(STDOUT_FILENO) == 1
    }

    /// Adds a line; `write`, which is called with the lock held, appends nothing when it throws.
    func writeLine<Failure: Error>(_ write: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
        try buffer.withLock { buffer throws(Failure) in
            guard buffer.failure == 0 else { return }
            try write(&buffer.bytes)
            buffer.bytes.append(UInt8(ascii: "\n"))
            if flushesEachLine || buffer.isQuiet || buffer.bytes.count >= 1 << 16 { Self.flush(&buffer) }
        }
    }

    /// Writes what has been collected, and from here on each line at once, while the input is quiet.
    func setQuiet(_ isQuiet: Bool) {
        buffer.withLock { buffer in
            buffer.isQuiet = isQuiet
            if isQuiet, buffer.failure == 0 { Self.flush(&buffer) }
        }
    }

    /// Writes what has been collected.
    ///
    /// - Returns: the error that ended the output, 0 for none; `EPIPE` when the reader has left.
    func flush() -> Int32 {
        buffer.withLock { buffer in
            Self.flush(&buffer)
            return buffer.failure
        }
    }

    /// Writes all of it, or keeps the error that ended the output.
    private static func flush(_ buffer: inout Buffer) {
        var written = 0
        while written < buffer.bytes.count {
            let count = unsafe buffer.bytes.withUnsafeBytes { bytes in
                unsafe write(STDOUT_FILENO, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                buffer.failure = errno
                break
            }
            written += count
        }
        buffer.bytes.removeAll(keepingCapacity: true)
    }
}
