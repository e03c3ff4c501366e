// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

/// Connections that a host makes for an instance.
@Suite(.timeLimit(.minutes(10))) struct HostNetworkTests {
    /// Writes and reads over a connection.
    private func answer(over connection: NetworkConnection) -> String {
        let request = "GET / HTTP/1.1\r\n\r\n"
        _ = fcntl(connection.descriptor, F_SETFL, 0)
        #expect(unsafe write(connection.descriptor, request, request.utf8.count) == request.utf8.count)
        var bytes = [UInt8](repeating: 0, count: 64)
        var count = 0
        // Tests beside this one send signals.
        repeat {
            count = unsafe read(connection.descriptor, &bytes, bytes.count)
        } while count < 0 && errno == EINTR
        #expect(count >= 0, "errno \(errno)")
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func `a connection leads to the port of a host, and does not block`(host: String) async throws {
        let server = try ScriptedServer { _, _ in .raw("hello") }
        let connection = try await HostNetwork().connect(to: host, port: UInt16(server.port))
        #expect(fcntl(connection.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(connection.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(answer(over: connection) == "hello")
    }

    @Test func `whoever asks without a task has what was asked for begun at once, and is called`() {
        let told = Mutex<[String]>([])
        let network = HostNetwork(isConfined: true) { host, port, limit, completion in
            told.withLock { $0.append("\(host):\(port) \(limit)") }
            completion(.failure(ConnectionFailure(.timeout, "late")))
        }
        network.connect(to: "a.example", port: 7, within: .seconds(3)) { result in
            guard case .failure(let failure) = result else { return }
            told.withLock { $0.append("\(failure)") }
        }
        #expect(told.withLock { $0 } == ["a.example:7 \(Duration.seconds(3))", "late"])
    }

    @Test func `a descriptor that is taken is its taker's to close, and is given once`() async throws {
        let server = try ScriptedServer { _, _ in .raw("hello") }
        var connection: NetworkConnection? = try await HostNetwork().connect(
            to: "127.0.0.1", port: UInt16(server.port))
        let descriptor = try #require(connection?.take())
        #expect(connection?.take() == -1)
        connection = nil
        #expect(fcntl(descriptor, F_GETFD) >= 0)
        #expect(close(descriptor) == 0)
    }

    @Test func `a connection that nobody holds any more is closed`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        var connection: NetworkConnection? = NetworkConnection(descriptor: ends[0])
        #expect(connection?.descriptor == ends[0])
        connection = nil
        var byte: UInt8 = 0
        #expect(unsafe read(ends[1], &byte, 1) == 0)
    }

    @Test func `where nobody listens, the system's reason is told`() async throws {
        let port = UInt16(try LocalPort.free())
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await HostNetwork().connect(to: "127.0.0.1", port: port)
        }
        #expect(
            failure
                == ConnectionFailure(
                    .unreachable, "127.0.0.1:\(port) cannot be reached: Connection refused"))
    }

    @Test func `where nobody answers, the time that was waited is told`() async throws {
        let silent = try SilentPort()
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await HostNetwork().connect(
                to: "127.0.0.1", port: UInt16(silent.port), within: .milliseconds(100))
        }
        #expect(
            failure
                == ConnectionFailure(
                    .timeout, "127.0.0.1:\(silent.port) took no connection within 0.1 seconds"))
    }

    @Test(arguments: ["", "a\0b", String(repeating: "a", count: 256)])
    func `a name that can be none is looked up nowhere`(host: String) async {
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await HostNetwork().connect(to: host, port: 80)
        }
        #expect(
            failure
                == ConnectionFailure(
                    .unknownHost,
                    "the host \(host) cannot be looked up: expected a name of 1 to 255 bytes"))
    }

    @Test func `a name that nobody knows is told`() async {
        let failure = await #expect(throws: ConnectionFailure.self) {
            try await HostNetwork().connect(to: "no.such.host.invalid", port: 80)
        }
        #expect(failure?.reason == .unknownHost)
        #expect(
            failure?.sentence.hasPrefix("the host no.such.host.invalid cannot be looked up: ") == true,
            "\(failure?.sentence ?? "")")
    }

    @Test func `a task that is cancelled waits no longer, and what comes later is closed`() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let late = Mutex<HostNetwork.Completion?>(nil)
        let (begun, hasBegun) = AsyncStream<Void>.makeStream()
        let network = HostNetwork(isConfined: true) { _, _, _, completion in
            late.withLock { $0 = completion }
            hasBegun.yield()
        }
        let task = Task { try await network.connect(to: "a", port: 80) }
        for await _ in begun { break }
        task.cancel()
        let outcome = await task.result
        #expect(throws: ConnectionFailure(.cancelled, "the connection to a:80 was given up")) {
            try outcome.get()
        }
        late.withLock { $0.take() }?(.success(NetworkConnection(descriptor: ends[0])))
        var byte: UInt8 = 0
        #expect(unsafe read(ends[1], &byte, 1) == 0)
    }
}
