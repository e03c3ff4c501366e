// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// A web server on the loopback that answers as a test says, and records its requests.
///
/// Each connection has its own thread. Ends with this object.
public final class ScriptedServer: Sendable {
    /// A received request.
    public struct Request: Sendable {
        /// The method, unchanged.
        public let method: String
        /// Path and query.
        public let target: String
        /// The headers, their names in lower case.
        public let headers: [String: String]
        /// The body as text.
        public let body: String
    }

    /// The answer to a request.
    public enum Reply: Sendable {
        /// An answer with its length.
        case status(Int, headers: [String: String] = [:], body: String = "")
        /// These bytes, followed by the end of the connection.
        case raw(String)
        /// Nothing, for as long as the client waits.
        case silence
        /// A reset of the connection.
        case reset
    }

    /// The state that the lock guards.
    private struct Content {
        var requests: [Request] = []
        var connections: Set<Int32> = []
        var running = 0
        var mostRunning = 0
        var isClosed = false
    }

    private let content = Mutex(Content())
    private let listener: Int32
    private let answer: @Sendable (_ request: Request, _ number: Int) -> Reply

    /// The port that it listens at.
    public let port: Int

    /// Listens at a free port; `answer` is called with a request and its number, from 0, on any thread.
    public init(_ answer: @escaping @Sendable (_ request: Request, _ number: Int) -> Reply) throws {
        self.answer = answer
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, size) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard isListening else { throw SystemFailure("bind") }
        DispatchQueue(label: "listener").async { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                // The Glibc module hides accept4.
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                guard let self else {
                    close(connection)
                    break
                }
                self.begin(connection)
            }
            close(listener)
        }
    }

    deinit { stop() }

    /// `http://127.0.0.1:PORT` followed by a path.
    public func url(_ path: String = "") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// All requests, in order.
    public var requests: [Request] { content.withLock { $0.requests } }

    /// The maximum number of requests that were being answered at the same time.
    public var mostRunning: Int { content.withLock { $0.mostRunning } }

    /// Ends all connections, and stops listening.
    public func stop() {
        let connections = content.withLock { content in
            content.isClosed = true
            return content.connections
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// Serves a connection until it ends.
    private func begin(_ connection: Int32) {
        let isClosed = content.withLock { content in
            content.connections.insert(connection)
            return content.isClosed
        }
        if isClosed { shutdown(connection, Int32(SHUT_RDWR)) }
        DispatchQueue(label: "connection").async { [weak self] in
            var bytes: [UInt8] = []
            while let request = Self.read(connection, &bytes), let self, self.serve(request, connection) {}
            self?.content.withLock { _ = $0.connections.remove(connection) }
            close(connection)
        }
    }

    /// Answers one request; returns false to end the connection.
    private func serve(_ request: Request, _ connection: Int32) -> Bool {
        let number = content.withLock { content in
            content.requests.append(request)
            content.running += 1
            content.mostRunning = max(content.mostRunning, content.running)
            return content.requests.count - 1
        }
        let reply = answer(request, number)
        content.withLock { $0.running -= 1 }
        switch reply {
        case .status(let status, let headers, let body):
            let lines =
                ["HTTP/1.1 \(status) -", "Content-Length: \(body.utf8.count)"]
                + headers.map { "\($0): \($1)" }
            return LocalConnection.write(
                lines.joined(separator: "\r\n") + "\r\n\r\n" + (request.method == "HEAD" ? "" : body),
                to: connection)
        case .raw(let text):
            _ = LocalConnection.write(text, to: connection)
            return false
        case .reset:
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(
                connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
            return false
        case .silence:
            var byte: UInt8 = 0
            while unsafe recv(connection, &byte, 1, 0) > 0 {}
            return false
        }
    }

    /// Reads one request; nil at the end of the connection.
    private static func read(_ connection: Int32, _ bytes: inout [UInt8]) -> Request? {
        var head: [Substring]?
        var length = 0
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if head == nil, let end = text.firstRange(of: "\r\n\r\n") {
                head = text[..<end.lowerBound].split(separator: "\r\n")
                bytes.removeFirst(text[..<end.upperBound].utf8.count)
                length =
                    head?.lazy.compactMap { line in
                        line.lowercased().hasPrefix("content-length:")
                            ? Int(line.dropFirst(15).filter { $0 != " " }) : nil
                    }.first ?? 0
            }
            if let head, bytes.count >= length {
                let words = head[0].split(separator: " ").map(String.init)
                let headers = head.dropFirst().map { line in
                    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    return (parts[0].lowercased(), String(parts.last?.drop { $0 == " " } ?? ""))
                }
                let body = String(decoding: bytes[..<length], as: UTF8.self)
                bytes.removeFirst(length)
                return Request(
                    method: words[0], target: words.count > 1 ? words[1] : "",
                    headers: Dictionary(headers) { "\($0), \($1)" }, body: body)
            }
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }
}
