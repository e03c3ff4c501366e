// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import Testing

@testable import GatehouseRuntime

/// Two connected descriptors of the test: what is written is read by a reader. Closes both at its end.
final class Wire: Sendable {
    /// The end that readers read from.
    let reading: Int32

    /// The end that the test writes to; -1 once closed.
    private let writing: Mutex<Int32>

    private init(_ descriptors: [Int32]) {
        reading = descriptors[0]
        writing = Mutex(descriptors[1])
    }

    deinit {
        close(reading)
        closeWriting()
    }

    /// Opens a pipe, which is closed when the wire goes.
    static func pipe() throws -> Wire {
        var descriptors: [Int32] = [-1, -1]
        try #require(unsafe Glibc.pipe(&descriptors) == 0)
        return Wire(descriptors)
    }

    /// A pair of connected Unix stream sockets.
    static func socket() throws -> Wire {
        var descriptors: [Int32] = [-1, -1]
        let stream = Int32(SOCK_STREAM.rawValue)
        try #require(unsafe socketpair(AF_UNIX, stream, 0, &descriptors) == 0)
        return Wire(descriptors)
    }

    /// A pipe that holds the whole of `text` and is closed for writing.
    static func holding(_ text: String) throws -> Wire {
        let wire = try pipe()
        try wire.write(text)
        wire.closeWriting()
        return wire
    }

    /// Writes all bytes, waiting for the reader when they do not fit.
    func write(_ bytes: [UInt8]) throws {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            writing.withLock { unsafe Glibc.write($0, bytes.baseAddress, bytes.count) }
        }
        try #require(count == bytes.count)
    }

    /// Writes the text as UTF-8.
    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Takes the bytes that wait, so that the reading end is no longer ready.
    func drain() throws {
        var bytes = [UInt8](repeating: 0, count: 64)
        try #require(unsafe read(reading, &bytes, bytes.count) > 0)
    }

    /// Ends the input for whoever reads.
    func closeWriting() {
        writing.withLock { writing in
            if writing >= 0 { close(writing) }
            writing = -1
        }
    }

    /// Runs `body` with a reader of this wire, named `test`; both wires stay open meanwhile.
    func withReader<Result>(
        wake: Wire? = nil, maximumLineBytes: Int = 1_000_000, bufferBytes: Int = 1_000,
        _ body: (inout LineReader) throws -> Result
    ) throws -> Result {
        try withExtendedLifetime((self, wake)) {
            var reader = LineReader(
                descriptor: reading, name: "test", wakeDescriptor: wake?.reading,
                maximumLineBytes: maximumLineBytes, bufferBytes: bufferBytes)
            return try body(&reader)
        }
    }
}
