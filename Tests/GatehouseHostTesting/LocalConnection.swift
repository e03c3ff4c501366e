// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A writer's connection to a Unix socket. Reading and writing block, for at most five minutes. Not thread-safe.
public final class LocalConnection: @unchecked Sendable {
    // @unchecked Sendable: a test hands it to the one thread that uses it.

    /// The socket; -1 once closed.
    private var socket: Int32
    /// Bytes that were read and not returned yet.
    private var bytes: [UInt8] = []

    /// Connects to the listener at a path.
    public init(_ path: String) throws {
        socket = try Self.make()
        let connected = try unsafe Self.withAddress(path) { unsafe connect(socket, $0, $1) }
        guard connected == 0 else { throw SystemFailure("connect \(path)") }
        limitWaiting()
    }

    /// Connects to the listener at a port of this machine.
    public init(port: Int) throws {
        socket = try LocalPort.connect(port)
        limitWaiting()
    }

    /// Limits all waiting to five minutes.
    private func limitWaiting() {
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            unsafe setsockopt(
                socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close() }

    /// Listens at a path, like another program; returns the socket, the caller's to close.
    public static func listen(at path: String) throws -> Int32 {
        let socket = try make()
        let bound = try unsafe withAddress(path) { unsafe bind(socket, $0, $1) }
        guard bound == 0, Glibc.listen(socket, 16) == 0 else { throw SystemFailure("bind \(path)") }
        return socket
    }

    /// Lets this process open as many descriptors as the system grants.
    public static func raiseLimit() {
        var limit = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Writes a whole text; false when there is no reader any more.
    @discardableResult
    public func write(_ text: String) -> Bool { Self.write(text, to: socket) }

    /// Writes a whole text to a socket; false when there is no reader any more.
    static func write(_ text: String, to socket: Int32) -> Bool {
        let text = Array(text.utf8)
        var written = 0
        while written < text.count {
            let count = unsafe text.withUnsafeBytes {
                unsafe send(
                    socket, $0.baseAddress?.advanced(by: written), text.count - written,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    /// Reads the given number of bytes; nil when the connection ends before.
    public func read(_ count: Int) -> [UInt8]? {
        while bytes.count < count {
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            let received = unsafe recv(socket, &chunk, chunk.count, 0)
            guard received > 0 else { return nil }
            bytes += chunk[..<received]
        }
        defer { bytes.removeFirst(count) }
        return Array(bytes[..<count])
    }

    /// The next line without its ending; nil when there is none.
    public func readLine() -> String? {
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                defer { bytes.removeFirst(end + 1) }
                return String(decoding: bytes[..<end], as: UTF8.self)
            }
            var chunk = [UInt8](repeating: 0, count: 1 << 12)
            let count = unsafe recv(socket, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }

    /// Waits until bytes have arrived, without reading them; false when none did in five minutes.
    public func waitForBytes() -> Bool { wait(for: Int16(POLLIN)) }

    /// Waits until the other side has closed the connection, without reading; false when it did not in five minutes.
    public func waitForClosing() -> Bool { wait(for: 0) }

    /// Waits for an event, or the end.
    private func wait(for events: Int16) -> Bool {
        var watched = [pollfd(fd: socket, events: events, revents: 0)]
        return unsafe poll(&watched, 1, 300_000) == 1
    }

    /// The socket, to pass to another process; the connection then lasts until both have closed it.
    public var descriptor: Int32 { socket }

    /// Ends writing; answers can still be read.
    public func finishWriting() { shutdown(socket, Int32(SHUT_WR)) }

    /// Closes the connection from this side.
    public func close() {
        if socket >= 0 { Glibc.close(socket) }
        socket = -1
    }

    private static func make() throws -> Int32 {
        let made = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0 else { throw SystemFailure("socket") }
        return made
    }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw SystemFailure("\(path): too long")
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
