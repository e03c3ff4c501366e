// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseSDK

/// The sockets behind addresses.
@Suite(.timeLimit(.minutes(10))) struct ListeningAddressTests {
    /// The mode that new files of this process have at most.
    private static func umask() throws -> UInt32 {
        let status = String(decoding: try FileSystem.read("/proc/self/status"), as: UTF8.self)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("Umask:") })
        let digits = try #require(line.split(separator: "\t").last)
        return try #require(UInt32(digits, radix: 8))
    }

    /// A number that a socket has for an option.
    private func option(_ option: Int32, at level: Int32 = SOL_SOCKET, of socket: Int32) -> Int32 {
        var value: Int32 = -1
        var size = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(socket, level, option, &value, &size)
        return value
    }

    /// Connects to a path without waiting; the socket is the caller's to close, nil when nobody takes it.
    private func connect(to path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(made, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if result == 0 { return made }
        close(made)
        return nil
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `an open port is the one that the socket names, and nobody else can have it`(host: String) throws {
        let socket = try ListeningAddress.port(host: host, 0).open()
        defer { close(socket) }
        let address = try #require(ListeningAddress(of: socket))
        guard case .port(host, let port) = address else {
            Issue.record("expected a port of \(host), found \(address)")
            return
        }
        #expect(port != 0)
        #expect(option(SO_ACCEPTCONN, of: socket) == 1)
        #expect(option(SO_REUSEADDR, of: socket) == 1)
        #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
        #expect(
            throws: ListeningFailure(
                "\(address): nobody can listen there: Address already in use; end what does, or choose another place"
            )
        ) { close(try address.open()) }
    }

    @Test func `a port of the newer protocol leaves the same number of the older one to others`() throws {
        let six = try ListeningAddress.port(host: "::", 0).open()
        defer { close(six) }
        #expect(option(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), of: six) == 1)
    }

    @Test func `a port that was asked for is the one that is opened`() throws {
        for host in ["127.0.0.1", "::1"] {
            let first = try ListeningAddress.port(host: host, 0).open()
            let address = try #require(ListeningAddress(of: first))
            close(first)
            let again = try address.open()
            #expect(ListeningAddress(of: again) == address)
            close(again)
        }
    }

    @Test(arguments: ["localhost", "", "127.0.0", "::1::", "256.0.0.1"])
    func `a host that is no address is refused`(host: String) {
        let address = ListeningAddress.port(host: host, 80)
        #expect(
            throws: ListeningFailure("\(address): there is no such address; correct it")
        ) { close(try address.open()) }
    }

    @Test func `a socket at a path is named by it, and is for this user and this group`() throws {
        let folder = try TemporaryFolder()
        let address = ListeningAddress.path(folder("a.sock"))
        let socket = try address.open()
        defer { close(socket) }
        #expect(ListeningAddress(of: socket) == address)
        #expect(try FileSystem.mode(of: folder("a.sock")) == 0o660 & ~Self.umask())
        // No option of ports is set.
        #expect(option(SO_REUSEADDR, of: socket) == 0)
    }

    @Test func `many may wait at a socket for their turn`() throws {
        let folder = try TemporaryFolder()
        let socket = try ListeningAddress.path(folder("a.sock")).open()
        defer { close(socket) }
        let waiting = (0..<100).compactMap { _ in connect(to: folder("a.sock")) }
        #expect(waiting.count == 100)
        for client in waiting { close(client) }
    }

    @Test func `a path may have 107 bytes, and no more`() throws {
        let folder = try TemporaryFolder()
        let path = folder(String(repeating: "x", count: 106 - folder.path.utf8.count))
        let socket = try ListeningAddress.path(path).open()
        #expect(ListeningAddress(of: socket) == .path(path))
        close(socket)
        let address = ListeningAddress.path(path + "x")
        #expect(
            throws: ListeningFailure(
                "\(address): the path is too long for a socket; name a shorter one")
        ) { close(try address.open()) }
        #expect(!FileSystem.exists(path + "x"))
    }

    @Test func `what is no socket, or has no name, has no address`() throws {
        #expect(ListeningAddress(of: -1) == nil)
        let nameless = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(nameless) }
        #expect(ListeningAddress(of: nameless) == nil)
    }

    @Test func `a path is cleared of the socket of a process that has ended, and of nothing else`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.sock")
        #expect(ListeningAddress.clear(path) == .nobody)
        try folder.write("precious", to: "a.sock")
        #expect(ListeningAddress.clear(path) == .other)
        #expect(try folder.read("a.sock") == "precious")
        FileSystem.remove(path)
        let socket = try ListeningAddress.path(path).open()
        #expect(ListeningAddress.clear(path) == .listener)
        #expect(FileSystem.exists(path))
        close(socket)
        #expect(ListeningAddress.clear(path) == .nobody)
        #expect(!FileSystem.exists(path))
    }

    @Test func `whoever looks whether somebody listens hangs up again`() throws {
        let folder = try TemporaryFolder()
        let socket = try ListeningAddress.path(folder("a.sock")).open()
        defer { close(socket) }
        #expect(ListeningAddress.clear(folder("a.sock")) == .listener)
        let client = accept(socket, nil, nil)
        defer { close(client) }
        #expect(client >= 0)
        var byte: UInt8 = 0
        #expect(unsafe recv(client, &byte, 1, Int32(MSG_DONTWAIT)) == 0, "the end, not a pause")
    }

    @Test func `a listener that has no time for more is a listener`() throws {
        let folder = try TemporaryFolder()
        let socket = try ListeningAddress.path(folder("a.sock")).open()
        defer { close(socket) }
        // From now on one may wait.
        #expect(listen(socket, 0) == 0)
        let client = try #require(connect(to: folder("a.sock")))
        defer { close(client) }
        #expect(ListeningAddress.clear(folder("a.sock")) == .listener)
        #expect(FileSystem.exists(folder("a.sock")))
    }

    @Test func `what cannot be opened leaves no descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            let socket = try ListeningAddress.port(host: "127.0.0.1", 0).open()
            guard let address = ListeningAddress(of: socket) else { exit(1) }
            if (try? address.open()) != nil { exit(2) }
            let before = FileSystem.names(in: "/proc/self/fd").count
            for _ in 0..<3 where (try? address.open()) != nil { exit(2) }
            if FileSystem.names(in: "/proc/self/fd").count != before { exit(3) }
            // The lowest number is one like any other.
            close(0)
            if (try? address.open()) != nil { exit(4) }
            let lowest = try ListeningAddress.port(host: "127.0.0.1", 0).open()
            if lowest != 0 { exit(5) }
            exit(0)
        }
    }
}
