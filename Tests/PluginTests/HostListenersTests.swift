// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

/// Sockets that a host lends.
@Suite(.timeLimit(.minutes(10))) struct HostListenersTests {
    /// How often something happened, and what was seen then.
    private final class Seen: Sendable {
        let all = Mutex<[Bool]>([])
    }

    @Test func `a listener that is given back is closed first, and told once`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.sock")
        let address = ListeningAddress.path(path)
        let seen = Seen()
        let listener = BorrowedListener(descriptor: try address.open(), address: address) {
            let isOpen = (try? LocalConnection(path)) != nil
            seen.all.withLock { $0.append(isOpen) }
        }
        #expect((try? LocalConnection(path)) != nil)
        for _ in 0..<2 { listener.giveBack() }
        #expect(seen.all.withLock { $0 } == [false])
    }

    @Test func `a listener that nobody holds any more is given back`() throws {
        let folder = try TemporaryFolder()
        let path = folder("a.sock")
        var listener: BorrowedListener? = try HostListeners().listen(at: .path(path))
        #expect(listener?.address == .path(path))
        #expect((try? LocalConnection(path)) != nil)
        listener = nil
        #expect((try? LocalConnection(path)) == nil)
        #expect(!FileSystem.exists(path))
    }

    @Test func `a port that the system chose is the address of its listener`() throws {
        let listener = try HostListeners().listen(at: .port(host: "127.0.0.1", 0))
        #expect(listener.address == ListeningAddress(of: listener.descriptor))
        #expect(listener.address != .port(host: "127.0.0.1", 0))
        #expect(throws: ListeningFailure.self) { try HostListeners().listen(at: listener.address) }
        listener.giveBack()
    }

    /// A listener at a port of this machine, with the port.
    private func listener() throws -> (listener: BorrowedListener, port: Int) {
        let listener = try HostListeners().listen(at: .port(host: "127.0.0.1", 0))
        guard case .port(_, let port) = listener.address else { throw CancellationError() }
        return (listener, Int(port))
    }

    @Test func `clients are accepted one after the other, those who were there before and those who come`()
        async throws
    {
        let (listener, port) = try listener()
        let early = try LocalConnection(port: port)
        for client in [early, nil] {
            let accepted = Task { try await listener.accept() }
            let client = try client ?? LocalConnection(port: port)
            let connection = try await accepted.value
            #expect(fcntl(connection.descriptor, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(connection.descriptor, F_GETFD) & FD_CLOEXEC != 0)
            #expect(unsafe write(connection.descriptor, "a\n", 2) == 2)
            #expect(client.readLine() == "a")
        }
    }

    @Test func `whoever asks without a task is called`() throws {
        let (listener, port) = try listener()
        let outcome = Mutex<Result<NetworkConnection, ConnectionFailure>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        listener.accept { result in
            outcome.withLock { $0 = result }
            isThere.signal()
        }
        let client = try LocalConnection(port: port)
        isThere.wait()
        let connection = try #require(outcome.withLock { $0 }).get()
        client.write("b")
        var watched = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&watched, 1, 600_000) == 1)
    }

    @Test func `a task that is cancelled waits no longer, and the next client is another one's`() async throws
    {
        let (listener, port) = try listener()
        let task = Task { try await listener.accept() }
        task.cancel()
        let outcome = await task.result
        #expect(
            throws: ConnectionFailure(
                .cancelled, "the wait for a client at \(listener.address) was given up")
        ) { try outcome.get() }
        let client = try LocalConnection(port: port)
        let connection = try await listener.accept()
        #expect(unsafe write(connection.descriptor, "a\n", 2) == 2)
        #expect(client.readLine() == "a")
    }

    @Test func `a socket that is given back lets all go who wait for a client, and is closed then`()
        async throws
    {
        let (listener, port) = try listener()
        let tasks = (0..<4).map { _ in Task { try await listener.accept() } }
        listener.giveBack()
        #expect(!LocalPort.isHeld(port))
        let failure = ConnectionFailure(
            .cancelled, "\(listener.address) was given back, so no client comes")
        for task in tasks {
            let outcome = await task.result
            #expect(throws: failure) { try outcome.get() }
        }
        await #expect(throws: failure) { try await listener.accept() }
    }

    @Test func `a socket is closed only when nobody looks at it any more`() throws {
        let folder = try TemporaryFolder()
        let address = ListeningAddress.path(folder("a.sock"))
        let told = Mutex<[String]>([])
        let listener = BorrowedListener(descriptor: try address.open(), address: address) {
            told.withLock { $0.append("closed") }
        }
        let ended = DispatchSemaphore(value: 0)
        // Each waits already when this returns.
        for _ in 0..<4 {
            listener.accept { result in
                told.withLock { $0.append((try? result.get()) == nil ? "refused" : "accepted") }
                ended.signal()
            }
        }
        listener.giveBack()
        #expect(told.withLock { $0 }.contains("closed"))
        for _ in 0..<4 { ended.wait() }
        #expect(told.withLock { $0 }.filter { $0 == "refused" }.count == 4)
    }

    @Test func `a socket that somebody has shut down takes no client, and the reason is told`() async throws {
        let (listener, _) = try listener()
        #expect(ListeningAddress.isListening(listener.descriptor))
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        #expect(!ListeningAddress.isListening(listener.descriptor))
        await #expect(
            throws: ConnectionFailure(.unreachable, "\(listener.address) takes no client: Invalid argument")
        ) { try await listener.accept() }
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("0::1", "::1"), ("FE80::A", "fe80::a"),
        ("localhost", nil),
        ("127.1", nil), ("", nil),
    ])
    func `an address has one form`(host: String, form: String?) {
        #expect(
            ListeningAddress.port(host: host, 80).canonical
                == form.map { ListeningAddress.port(host: $0, 80) })
        #expect(ListeningAddress.path("a").canonical == .path("a"))
    }

    @Test func `what a host refuses is refused`() {
        let listeners = HostListeners { _ throws(ListeningFailure) in throw ListeningFailure("not here") }
        #expect(throws: ListeningFailure("not here")) {
            try listeners.listen(at: .port(host: "127.0.0.1", 0))
        }
    }
}
