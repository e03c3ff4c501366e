// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct LocalAddressTests {
    /// A socket for local addresses, closed with the last reference.
    private final class Socket {
        let descriptor: Int32

        init() throws {
            descriptor = LocalAddress.makeSocket(SOCK_STREAM)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }
    }

    @Test func `a path of 107 bytes is an address, and a longer one is none`() {
        #expect(LocalAddress.mostBytes == 107)
        #expect(LocalAddress(String(repeating: "a", count: 107)) != nil)
        #expect(LocalAddress(String(repeating: "a", count: 108)) == nil)
        #expect(LocalAddress(variable: "@" + String(repeating: "a", count: 106)) != nil)
        #expect(LocalAddress(variable: "@" + String(repeating: "a", count: 107)) == nil)
    }

    @Test func `a socket does not block, and no child inherits it`() throws {
        let socket = try Socket()
        #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(socket.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test func `the system chooses a name without a file`() throws {
        let socket = try Socket()
        #expect(LocalAddress.name(of: socket.descriptor) == nil)
        #expect(LocalAddress().bind(socket.descriptor))
        let name = try #require(LocalAddress.name(of: socket.descriptor))
        #expect(name.hasPrefix("@"))
        #expect(name.utf8.count == 6)
        #expect(LocalAddress.name(of: -1) == nil)
    }

    @Test func `a name without a file is the one of the variable, whole`() throws {
        let listener = try Socket()
        let name = "@gatehouse-test-\(getpid())"
        let address = try #require(LocalAddress(variable: name))
        #expect(address.bind(listener.descriptor))
        #expect(LocalAddress.name(of: listener.descriptor) == name)
        let other = try Socket()
        #expect(!address.bind(other.descriptor))
        #expect(errno == EADDRINUSE)
        #expect(!address.connect(other.descriptor))
        #expect(errno == ECONNREFUSED)
        try #require(listen(listener.descriptor, 1) == 0)
        #expect(address.connect(other.descriptor))
    }

    @Test func `a listener at a path is reached by its path`() throws {
        let folder = try TemporaryFolder()
        #expect(LocalAddress.connect(to: folder("s")) == -ENOENT)
        #expect(LocalAddress.connect(to: String(repeating: "a", count: 108)) == -ENAMETOOLONG)
        let listener = try Socket()
        #expect(try #require(LocalAddress(folder("s"))).bind(listener.descriptor))
        #expect(LocalAddress.connect(to: folder("s")) == -ECONNREFUSED)
        try #require(listen(listener.descriptor, 2) == 0)
        let reached = LocalAddress.connect(to: folder("s"))
        try #require(reached >= 0)
        defer { close(reached) }
        #expect(fcntl(reached, F_GETFL) & O_NONBLOCK == 0)
        #expect(fcntl(reached, F_GETFD) & FD_CLOEXEC != 0)
        let variable = try Socket()
        #expect(try #require(LocalAddress(variable: folder("s"))).connect(variable.descriptor))
    }
}
