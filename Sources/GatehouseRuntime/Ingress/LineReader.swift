// SPDX-License-Identifier: Apache-2.0

import CSimdJSON
package import GatehouseSupport
import Glibc

/// Splits the bytes of a file, standard input, a pipe or a Unix socket into lines, in one reused buffer.
///
/// Lines end with LF or CR LF; the last one may lack its ending. A complete line is returned without waiting
/// for more input, and half a line waits for its rest. Memory stays bounded by the line limit over endless
/// input, and falls back to the buffer's initial size after a long line. Not thread-safe: one reader, one
/// thread at a time.
package struct LineReader: ~Copyable {
    /// The number of bytes after each line that a parser may read.
    package static var padding: Int { Int(GATEHOUSE_JSON_PADDING) }

    /// The line limit when none is given: 16 MiB.
    package static var defaultMaximumLineBytes: Int { 16 << 20 }

    /// The greatest effective line limit: 4 GiB, the range of parsers' positions.
    static var largestLineLimit: Int { Int(UInt32.max) }

    /// The kinds of input.
    package enum Kind: Sendable {
        /// An input read to its end, waiting as needed; the last line may lack its ending.
        case awaited
        /// An input read like an awaited one, but `next()` returns `.dry` where it would have to wait.
        case shared
        /// A non-blocking connection: text that its writer leaves without an ending is not a line.
        case connection
        /// A file that may grow, so that its end returns `.dry`.
        case growing
    }

    /// The reader's position within the input.
    private enum Progress {
        /// Between lines, or within one that may still fit.
        case reading
        /// Within a line that is too long: `bytes` of it are gone, the last of them a CR when `endsInReturn`.
        case skipping(bytes: Int, endsInReturn: Bool)
        /// The input has ended.
        case ended
    }

    /// The input; the caller closes it.
    private let descriptor: Int32
    /// The input's name in errors.
    private let name: String
    /// The longest line returned, without its ending; from 1 to `largestLineLimit`.
    private let maximumLineBytes: Int
    /// The kind of input.
    private let kind: Kind
    /// Whether there is a wake descriptor, so that waiting needs `poll`.
    private let canBeWoken: Bool
    /// The bytes read and not yet returned.
    private var buffer: LineBuffer
    /// The position of the next byte.
    private var progress = Progress.reading
    /// The number of the last line, from 1; lines that were too long count.
    private var lineCount: Int
    /// The number of bytes read.
    private(set) var bytesRead = 0
    /// Ends the reading; nil where nobody does.
    private let stop: StopRequest?
    /// Whether the reading has ended by request.
    private(set) var isStopped = false
    /// Called with true each time before the reader waits for input that is not there yet, and with false when that is over, on the
    /// thread that reads; only with a wake descriptor. Set before the first `next()`.
    package var onWait: ((Bool) -> Void)?

    /// The descriptors for `poll`: the input, then the wake descriptor (-1, which it ignores, when there is none).
    private var watched: [pollfd]

    /// Prepares to read; nothing is read before the first `next()`.
    ///
    /// - Parameters:
    ///   - descriptor: The input, blocking or not. It stays the caller's, to be closed after the reader.
    ///   - name: The input's name in errors, such as `orders.ndjson` or `standard input`.
    ///   - wakeDescriptor: A descriptor that makes `next()` return `.interrupted` while it is readable, for
    ///     example a signal descriptor. The reader never reads from it.
    ///   - maximumLineBytes: The longest line returned, without line ending; from 1 to `largestLineLimit`,
    ///     which also caps greater values.
    ///   - bufferBytes: Initial size of the buffer and of each read; at least 1.
    ///   - linesBefore: How many lines of the input others have read before.
    ///   - remainder: What the one before has read and not returned; nil for nothing.
    ///   - stop: Asked before anything more is read: complete lines are returned, then the input is at its end.
    package init(
        descriptor: Int32, name: String, kind: Kind = .awaited, wakeDescriptor: Int32? = nil,
        maximumLineBytes: Int = LineReader.defaultMaximumLineBytes, bufferBytes: Int = 64 << 10,
        linesBefore: Int = 0, continuing remainder: Remainder? = nil, stop: StopRequest? = nil
    ) {
        precondition(maximumLineBytes >= 1, "a line limit below 1 byte lets no line through")
        precondition(bufferBytes >= 1, "a buffer below 1 byte cannot take input")
        self.descriptor = descriptor
        self.name = name
        self.kind = kind
        self.stop = stop
        lineCount = linesBefore
        self.maximumLineBytes = min(maximumLineBytes, Self.largestLineLimit)
        canBeWoken = wakeDescriptor != nil
        // Room for the longest line with its CR and one more byte, which shows that a line is longer.
        buffer = LineBuffer(
            smallCapacity: bufferBytes, largestCapacity: self.maximumLineBytes + 2,
            holding: remainder?.bytes ?? [])
        bytesRead = remainder?.bytes.count ?? 0
        if let skipped = remainder?.skipped {
            bytesRead += skipped
            progress = .skipping(bytes: skipped, endsInReturn: remainder?.endsInReturn ?? false)
        }
        watched = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeDescriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
    }

    /// What a reader has read and not returned, for another one that goes on.
    package struct Remainder: Equatable, Sendable {
        /// The bytes that wait.
        package var bytes: [UInt8] = []
        /// How many bytes before them are gone already, of a line that is too long; nil between lines, or in one that may fit.
        package var skipped: Int?
        /// Whether the last byte that is gone is a CR.
        package var endsInReturn = false

        /// Creates the remainder of a reader that stands between two lines.
        package init() {}
    }

    /// What is read and not returned.
    var remainder: Remainder {
        var remainder = Remainder()
        remainder.bytes = buffer.waiting
        if case .skipping(let bytes, let endsInReturn) = progress {
            (remainder.skipped, remainder.endsInReturn) = (bytes, endsInReturn)
        }
        return remainder
    }

    /// Size of the buffer, in bytes, without padding.
    var bufferCapacity: Int { buffer.capacity }

    /// Returns the next line or event, waiting for input only when no complete line is available.
    ///
    /// A line's bytes are valid until the following call. A readable wake descriptor takes precedence over
    /// input that has not been read yet. An interrupted system call is repeated. After an error the reader
    /// may be called again: nothing that was read is lost.
    package mutating func next() throws(IngressError) -> LineEvent {
        while true {
            if let bytes = unsafe buffer.takeLine() { return unsafe finishLine(bytes) }
            if case .ended = progress { return .end }
            if stop?.isAsked == true {
                isStopped = true
                return .end
            }
            skipIfTooLong()
            switch kind {
            case .awaited: if canBeWoken, try waitForInput() { return .interrupted }
            case .shared: guard try hasInput() else { return .dry }
            case .connection, .growing: break
            }
            if let bytes = buffer.makeRoom() { throw .outOfMemory(input: name, bytes: bytes) }
            let count = buffer.fill(from: descriptor)
            if count > 0 {
                bytesRead += count
            } else if count == 0 {
                if case .growing = kind { return .dry }
                return finishInput()
            } else {
                let code = errno
                if code == EAGAIN {
                    guard case .awaited = kind else { return .dry }
                    if try waitForInput() { return .interrupted }
                } else if case .connection = kind, code == ECONNRESET {
                    // The writer closed with answers unread.
                    return finishInput()
                } else if code != EINTR {
                    throw .reading(input: name, line: lineCount, code: code)
                }
            }
        }
    }

    /// Whether `next` has a line without reading more.
    var hasLine: Bool { mutating get { buffer.hasLine } }

    /// The number of bytes of the current, incomplete line.
    var unfinishedBytes: Int {
        if case .skipping(let bytes, _) = progress { bytes + buffer.count } else { buffer.count }
    }

    /// The number of bytes of complete lines that were returned or skipped.
    var bytesDone: Int { bytesRead - unfinishedBytes }

    /// Frees all memory if no part of a line is waiting, so that an idle input costs nothing.
    package mutating func rest() { buffer.rest() }

    /// Frees the memory of the last line if it was a long one; its bytes become invalid.
    package mutating func release() {
        // A failure means that memory is short, and is reported when the next line needs some.
        _ = buffer.makeRoom()
    }

    // MARK: - Implementation details

    /// Turns the bytes before a line ending, or before the end of the input, into a line or a report of its
    /// length.
    private mutating func finishLine(_ bytes: UnsafeRawBufferPointer) -> LineEvent {
        lineCount += 1
        var length = bytes.count
        var endsInReturn = unsafe length > 0 && bytes[length - 1] == UInt8(ascii: "\r")
        if case .skipping(let skipped, let skippedReturn) = progress {
            if length == 0 { endsInReturn = skippedReturn }
            length += skipped
            progress = .reading
        }
        if endsInReturn { length -= 1 }
        // Skipped bytes alone exceed the limit, so a line that fits is complete in `bytes`.
        if length > maximumLineBytes { return .tooLong(line: lineCount, bytes: length) }
        return unsafe .line(
            InputLine(bytes: UnsafeRawBufferPointer(rebasing: bytes[..<length]), number: lineCount))
    }

    /// Returns a last line without line ending, if there is one.
    private mutating func finishInput() -> LineEvent {
        if case .connection = kind { return .end }
        let rest = unsafe buffer.takeRest()
        if unsafe rest.isEmpty, case .reading = progress {
            progress = .ended
            return .end
        }
        let event = unsafe finishLine(rest)
        progress = .ended
        return event
    }

    /// Drops the buffered bytes once they cannot become a line within the limit, even with a CR at its end.
    private mutating func skipIfTooLong() {
        switch progress {
        case .reading where buffer.count > maximumLineBytes + 1: skip(after: 0, endsInReturn: false)
        case .skipping(let bytes, let endsInReturn): skip(after: bytes, endsInReturn: endsInReturn)
        case .reading, .ended: break
        }
    }

    /// Drops the buffered bytes of a line of which `bytes` are gone already.
    private mutating func skip(after bytes: Int, endsInReturn: Bool) {
        let dropped = unsafe buffer.takeRest()
        progress = .skipping(
            bytes: bytes + dropped.count,
            endsInReturn: unsafe dropped.last.map { $0 == UInt8(ascii: "\r") } ?? endsInReturn)
    }

    /// Whether reading would not block.
    private mutating func hasInput() throws(IngressError) -> Bool {
        while true {
            let ready = unsafe poll(&watched, 1, 0)
            if ready >= 0 { return ready > 0 }
            let code = errno
            if code != EINTR { throw .waiting(input: name, code: code) }
        }
    }

    /// Waits until there is input, its end, or a reason to wake up; true means woken.
    private mutating func waitForInput() throws(IngressError) -> Bool {
        // A first look without waiting, so that waiting can be reported.
        var limit: Int32 = onWait == nil ? -1 : 0
        defer { if limit < 0 { onWait?(false) } }
        while true {
            // The corresponding C function is `poll`; -1 is "without time limit".
            let ready = unsafe poll(&watched, nfds_t(watched.count), limit)
            if ready < 0 {
                let code = errno
                if code == EINTR { continue }
                throw .waiting(input: name, code: code)
            }
            if ready == 0 {
                onWait?(true)
                limit = -1
                continue
            }
            let wake = Int32(watched[1].revents)
            if wake & Int32(POLLNVAL) != 0 { throw .wakeDescriptorClosed(input: name) }
            if wake != 0 { return true }
            // Errors and hang-ups of the input are left to `read`, which distinguishes them.
            if watched[0].revents != 0 { return false }
        }
    }
}
