// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// What stands in for a host, and answers one `gatehouse ctl` as a test says; not thread-safe.
final class StandIn {
    /// The program that asks.
    private let client: ChildProcess
    /// The connection to it.
    private let connection: Int32
    /// What it has sent so far.
    private var requests = ""

    /// Starts `gatehouse ctl` with these words, and waits until it has connected.
    init(_ words: String..., in folder: TemporaryFolder, environment: [String: String] = [:]) throws {
        let socket = try LocalConnection.listen(at: folder("host.sock"))
        defer { close(socket) }
        client = try ChildProcess(
            BuiltProducts.program, ["ctl"] + words + ["--socket", folder("host.sock")], in: folder.path,
            environment: environment, keeping: folder)
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        let isThere = unsafe poll(&watched, 1, 60_000) == 1
        try #require(isThere)
        connection = accept(socket, nil, nil)
        // The Glibc module hides accept4.
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(connection) }

    /// Waits until a method was asked for; returns whether it was before the client went.
    func waitForRequest(_ method: String) -> Bool {
        while !requests.contains(#""method":"\#(method)""#) {
            var chunk = [UInt8](repeating: 0, count: 1 << 12)
            let count = unsafe read(connection, &chunk, chunk.count)
            guard count > 0 else { return false }
            requests += String(decoding: chunk[..<count], as: UTF8.self)
        }
        return true
    }

    /// Answers the request with a number, from 1 on, with a result in JSON.
    func answer(_ number: Int, _ result: String) {
        let line = Array((#"{"id":\#(number),"result":\#(result)}"# + "\n").utf8)
        #expect(unsafe write(connection, line, line.count) == line.count)
    }

    /// Waits for the end of the client.
    func finish() throws -> ChildProcess.Outcome { try client.finish() }
}
