// SPDX-License-Identifier: Apache-2.0

import CMicroHTTPD
import Glibc
import Synchronization

/// Feeds the body of one answer from a stream, and suspends its connection while there is nothing.
///
/// `unsafe` because the library asks for bytes by a C function, and suspends a connection by its address.
///
/// `@unchecked Sendable`: the connection is touched under the lock only, and only while the library has not freed the answer,
/// or while it is suspended, which keeps it alive.
@safe final class StreamReader: @unchecked Sendable {
    /// The contents of the lock.
    private struct State {
        /// Whether the connection is suspended.
        var isSuspended = false
        /// Whether there is unread data.
        var hasNews = false
        /// Whether the server ends.
        var isEnded = false
        /// Whether the library has released it.
        var isClosed = false
    }

    /// The connection of the answer.
    private let connection: OpaquePointer
    /// The source of the bytes.
    private let stream: EventStream
    /// The status of the connection, guarded by the lock.
    private let state = Mutex(State())

    /// Creates a reader that has read nothing.
    init(_ stream: EventStream, to connection: OpaquePointer) {
        self.stream = stream
        unsafe self.connection = connection
        stream.onArrival { [weak self] in self?.wake() }
    }

    /// Ends the answer.
    func end() {
        state.withLock { state in
            state.isEnded = true
            resume(&state)
        }
    }

    /// Records that there is something to read.
    private func wake() {
        state.withLock { state in
            state.hasNews = true
            resume(&state)
        }
    }

    /// Resumes the connection, if it is suspended.
    private func resume(_ state: inout State) {
        guard state.isSuspended else { return }
        state.isSuspended = false
        unsafe MHD_resume_connection(connection)
    }

    /// Closes the stream, after the client has gone or the end was sent.
    private func close() {
        state.withLock { $0.isClosed = true }
        stream.close()
    }

    /// Whether the library has released it.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Copies the available bytes to the library's buffer; returns 0 after suspending the connection.
    private func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            state.withLock { $0.hasNews = false }
            switch stream.read(atMost: buffer.count) {
            case .bytes(let bytes):
                unsafe buffer.copyBytes(from: bytes)
                return bytes.count
            case .end: return -1
            case .nothing:
                let end = state.withLock { state -> Int? in
                    if state.isEnded { return -1 }
                    if state.hasNews { return nil }
                    state.isSuspended = true
                    unsafe MHD_suspend_connection(connection)
                    return 0
                }
                if let end { return end }
            }
        }
    }

    /// Returns the library's answer that this feeds; it keeps the reader until it is freed. Nil when there is no memory.
    func response() -> OpaquePointer? {
        unsafe MHD_create_response_from_callback(
            UInt64.max, 16 << 10,
            { reader, _, buffer, most in
                guard let reader = unsafe reader, let buffer = unsafe buffer else { return -1 }
                return unsafe Unmanaged<StreamReader>.fromOpaque(reader).takeUnretainedValue()
                    .read(UnsafeMutableRawBufferPointer(start: buffer, count: most))
            }, Unmanaged.passRetained(self).toOpaque(),
            { reader in
                guard let reader = unsafe reader else { return }
                unsafe Unmanaged<StreamReader>.fromOpaque(reader).takeRetainedValue().close()
            })
    }
}
