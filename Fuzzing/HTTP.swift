// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc
import Synchronization

@testable import HTTPPlugin

/// A client may send anything: what reaches a route can be read in one way only, and after what cannot, nothing is read.
///
/// The first byte of an input says in which pieces the rest is sent.
@_cdecl("LLVMFuzzerTestOneInput")
public func admitRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 1, let start else { return 0 }
    let input = UnsafeBufferPointer(start: start, count: count)
    door.connect(sending: Array(input.dropFirst()), inPiecesOf: 1 + 8 * Int(input[0]))
    return 0
}

/// A client that is hung up on is told so by a result.
private let noSignal = Int32(0x4000)

/// The server, which stays for all inputs.
private let door = Door()

/// A server at a socket, and its clients one after the other.
private final class Door: Sendable {
    /// Looks at a request that has come through, and at its body.
    @Sendable private static func judge(_ request: HTTPRequest) -> HTTPVerdict {
        let isLegible = { (text: String) in text.utf8.allSatisfy { $0 >= 32 && $0 != 127 } }
        expect(isLegible(request.path), "a path with control characters")
        expect(isLegible(request.method) && !request.method.contains(" "), "a method that is none")
        for (name, value) in request.query {
            expect(isLegible(name) && isLegible(value), "a query with control characters")
        }
        for name in ["host", "origin", "authorization", "content-type", "x-hub-signature-256"] {
            guard let value = request[name] else { continue }
            expect(
                value.utf8.allSatisfy { $0 >= 32 && $0 != 127 || $0 == 9 },
                "a field with control characters")
        }
        let isChunked = request["transfer-encoding"] != nil
        expect(!isChunked || request["content-length"] == nil, "two lengths of a body")
        let length = request.contentLength
        if request["content-length"] != nil { expect(length != nil, "a length that is no number") }
        return .read(atMost: 4_096) { body in
            expect(body.count <= 4_096, "a body that is too long")
            expect(isChunked || body.count == length ?? 0, "a body of another length")
            return HTTPResponse(200, ["bytes": Value(body.count)])
        }
    }

    /// The name of the socket, which has no file.
    private let path = "unix.sock"
    /// The server, which is never stopped.
    private let daemon: HTTPDaemon

    /// Opens the server.
    init() {
        daemon = HTTPDaemon(HTTPDaemon.Bounds(), judge: Self.judge) { _ in }
        guard let listener = try? BorrowedListener(opening: .path(path)), daemon.start(at: listener) else {
            fatalError("the server does not start")
        }
    }

    /// Sends bytes on a connection of their own, and reads the answers to the end.
    func connect(sending bytes: [UInt8], inPiecesOf size: Int) {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(client) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        expect(isConnected, "the door is closed")
        // What is no whole request is waited for a while, and longer than there is time for here.
        var patience = timeval(tv_sec: 0, tv_usec: 8_000)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(size))
            // Whoever is hung up on can send no more.
            guard send(client, piece, piece.count, noSignal) == piece.count else { break }
            rest = rest.dropFirst(size)
        }
        shutdown(client, Int32(SHUT_WR))
        var answers: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(client, &chunk, chunk.count, 0)
            if count > 0 {
                answers += chunk[..<count]
                continue
            }
            if count < 0, errno == EINTR { continue }
            break
        }
        check(answers)
    }

    /// Looks at all answers on one connection.
    private func check(_ answers: [UInt8]) {
        let text = String(decoding: answers, as: UTF8.self)
        guard !text.isEmpty else { return }
        expect(text.hasPrefix("HTTP/1."), "no answer: \(text.prefix(40))")
        // What cannot be read in one way ends the connection: nothing is done after it. (libmicrohttpd 0.9.75 begins some of its own
        // answers of this kind twice.)
        if let bad = text.range(of: "HTTP/1.1 400 ") {
            expect(
                text[bad.upperBound...].range(of: "HTTP/1.1 2") == nil,
                "a request was read after one that was refused: \(text)")
        }
    }
}

extension String {
    /// Where a text is first.
    fileprivate func range(of text: String) -> Range<Index>? { self[...].range(of: text) }
}

extension Substring {
    /// Where a text is first.
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
