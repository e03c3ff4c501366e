// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseRuntime

/// Sockets at paths.
@Suite struct ListeningSocketTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Listens at a name in the folder.
    private func listen(_ name: String, mode: Int = 0o600) throws -> ListeningSocket {
        try ListeningSocket(path: folder(name), mode: mode, acknowledges: true)
    }

    @Test func `a socket has the mode that it is given, and goes when it is removed`() throws {
        let socket = try listen("in.sock", mode: 0o660)
        #expect(try FileSystem.mode(of: folder("in.sock")) == 0o660)
        #expect(socket.name == "in.sock" && socket.isOwn && "\(socket)" == folder("in.sock"))
        socket.remove()
        socket.close()
        #expect(!FileSystem.exists(folder("in.sock")))
    }

    @Test func `nobody listens where another process does, or where something else is`() throws {
        let socket = try listen("in.sock")
        let alive = ListeningError.blocked(path: folder("in.sock"), .alive)
        #expect(throws: alive) { try listen("in.sock") }
        #expect(
            alive.description
                == "\(folder("in.sock")): another process already listens there; end it, or listen at another path"
        )
        socket.remove()
        socket.close()
        try folder.write("", to: "file")
        let occupied = ListeningError.blocked(path: folder("file"), .occupied)
        #expect(throws: occupied) { try listen("file") }
        #expect(
            occupied.description
                == "\(folder("file")): expected nothing or the socket of a host that has ended, found something else; remove it, or listen at another path"
        )
        #expect(FileSystem.exists(folder("file")))
    }

    @Test func `the socket of a process that has ended is replaced`() throws {
        let dead = try listen("in.sock")
        dead.close()
        let socket = try listen("in.sock")
        let writer = try LocalConnection(folder("in.sock"))
        #expect(writer.write("a line\n"))
        socket.remove()
        socket.close()
    }

    @Test func `a path that is too long, or leads nowhere, is refused`() throws {
        let name = String(repeating: "n", count: 108)
        #expect(
            throws: ListeningError.blocked(path: folder(name), .tooLong(bytes: folder(name).utf8.count))
        ) { try listen(name) }
        #expect(
            throws: ListeningError.blocked(
                path: folder("no"), .system(reason: "No such file or directory"))
        ) { try listen("no/in.sock") }
    }
}
