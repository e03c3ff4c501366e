// SPDX-License-Identifier: Apache-2.0

import CLinux
import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The two sides of the socket by which a worker asks its host for connections, and what the host makes of a hostile one.
@Suite(.timeLimit(.minutes(10))) struct NetworkBrokerTests {
    /// A network that keeps what it is asked for, and answers when a test says so.
    private final class Slow: Sendable {
        /// Who waits.
        let waiting = Mutex<[HostNetwork.Completion]>([])
        /// The most that have waited at a time.
        let most = Mutex(0)
        /// Told with each wish.
        let onWish: @Sendable (Slow) -> Void

        init(onWish: @escaping @Sendable (Slow) -> Void = { _ in }) { self.onWish = onWish }

        /// The network.
        var network: HostNetwork {
            HostNetwork(isConfined: false) { [self] _, _, _, completion in
                let count = waiting.withLock { waiting in
                    waiting.append(completion)
                    return waiting.count
                }
                most.withLock { $0 = max($0, count) }
                onWish(self)
            }
        }

        /// Answers all.
        func answer() {
            for completion in waiting.withLock({ all in
                defer { all = [] }; return all
            }) {
                completion(.failure(ConnectionFailure(.unreachable, "no")))
            }
        }
    }

    /// A broker that grants `a:80` and what is named besides, on a thread until its worker closes.
    private func serving(
        _ grants: [ConnectionGrant] = [], network: HostNetwork = HostNetwork(),
        patience: Duration = .seconds(600)
    ) throws -> (broker: NetworkBroker, thread: TestThread<NetworkLie?>) {
        let broker = try NetworkBroker(
            for: "mail", [ConnectionGrant(host: "a", port: 80)] + grants, network: network,
            patience: patience)
        return (broker, try TestThread { broker.serve() })
    }

    /// Sends a message as a worker does; false when the host has closed.
    @discardableResult
    private func send(_ bytes: [UInt8], to broker: NetworkBroker, with descriptor: Int32 = -1) -> Bool {
        unsafe gatehouse_send_with(broker.other, bytes, bytes.count, descriptor) == 0
    }

    /// Receives an answer, and the descriptor that came with it.
    private func answer(of broker: NetworkBroker) throws -> (reply: NetworkReply, descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: NetworkReply.longest)
        var descriptor: Int32 = -1
        let count = unsafe gatehouse_receive_with(broker.other, &bytes, bytes.count, &descriptor)
        return (try #require(NetworkReply(bytes.prefix(max(0, count)))), descriptor)
    }

    /// A request for what is granted.
    private static func request(
        _ number: UInt32 = 1, time: UInt32 = 60_000, port: UInt16 = 80,
        wish: NetworkRequest.Wish = .connect, host: String = "a"
    ) -> NetworkRequest {
        NetworkRequest(number: number, milliseconds: time, port: port, wish: wish, host: host)
    }

    @Test func `messages are read as they were written`() throws {
        let request = Self.request(.max, time: 1, port: .max, host: String(repeating: "ä", count: 127))
        #expect(try NetworkRequest(request.bytes) == request)
        for failure in [nil, ConnectionFailure(.timeout, "too late"), ConnectionFailure(.notGranted, "")] {
            let reply = NetworkReply(number: 1 << 31, failure: failure)
            #expect(NetworkReply(reply.bytes) == reply)
        }
        let long = NetworkReply(
            number: 1, failure: ConnectionFailure(.unreachable, String(repeating: "a", count: 9_999)))
        #expect(long.bytes.count == NetworkReply.longest)
        #expect(NetworkReply([1, 0, 0, 0]) == nil)
        #expect(NetworkReply([1, 0, 0, 0, 99]) == nil)
    }

    @Test(
        arguments: [
            ([], .badLength(0)), ([1, 0, 0, 0, 1, 0, 0, 0, 80, 0, 1], .badLength(11)),
            (request(host: String(repeating: "a", count: 256)).bytes, .badLength(267)),
            ([1, 0, 0, 0, 1, 0, 0, 0, 80, 0, 0, 65], .badWish(0)),
            ([1, 0, 0, 0, 1, 0, 0, 0, 80, 0, 4, 65], .badWish(4)),
            (request(wish: .giveBack).bytes, .notLent),
            ([UInt8](repeating: 65, count: 60_000), .badLength(60_000)),
            (request(port: 0).bytes, .badNumber), (request(time: 0).bytes, .badNumber),
            (request(time: 3_600_001).bytes, .badNumber),
            (request().bytes + [0xFF], .badHost), (request(host: "a\0").bytes, .badHost),
        ] as [([UInt8], NetworkLie)])
    func `a worker that asks as none does is a liar`(bytes: [UInt8], lie: NetworkLie) throws {
        let (broker, thread) = try serving()
        defer { close(broker.other) }
        #expect(send(bytes, to: broker))
        #expect(try thread.join() == lie)
    }

    @Test func `the lies are told in words`() {
        #expect(
            [.badLength(3), .badNumber, .badWish(9), .badHost, .notLent, .tooMany, .deaf].map {
                (lie: NetworkLie) in "\(lie)"
            } == [
                "it asks for a connection in 3 bytes",
                "it asks for a connection with a time or a port that is none",
                "it asks for a service with the number 9, which is none",
                "it asks for a connection to a host that is no text",
                "it gives back a socket that it does not have",
                "it asks for more than 32 connections at a time, or twice under one number",
                "it does not take the connections that it asks for",
            ])
    }

    @Test func `one that asks for more than is made at a time, or twice under one number, is a liar`() throws
    {
        for numbers in [Array(1...33), [7, 7]] {
            let slow = Slow()
            let (broker, thread) = try serving(network: slow.network)
            defer { close(broker.other) }
            for number in numbers { #expect(send(Self.request(UInt32(number)).bytes, to: broker)) }
            #expect(try thread.join() == .tooMany)
            #expect(slow.waiting.withLock { $0.count } == numbers.count - 1)
            // What they wait for comes to nobody, and harms nobody.
            slow.answer()
        }
    }

    @Test func `one that takes no answers is a liar, and waited for no longer than allowed`() throws {
        let (broker, thread) = try serving(patience: .milliseconds(1))
        defer { close(broker.other) }
        var number: UInt32 = 0
        repeat { number += 1 } while send(Self.request(number, host: "b").bytes, to: broker)
        #expect(try thread.join() == .deaf)
    }

    @Test func `what is not granted is refused, whatever is written in its place`() throws {
        let (broker, thread) = try serving()
        let others = [("a", 81), ("b", 80), ("a.", 80), ("a ", 80), ("A\u{301}", 80), ("a:80", 80)]
        for (number, (host, port)) in others.enumerated() {
            send(Self.request(UInt32(number), port: UInt16(port), host: host).bytes, to: broker)
            let (reply, descriptor) = try answer(of: broker)
            #expect(reply.number == UInt32(number))
            #expect(reply.failure?.reason == .notGranted)
            #expect(descriptor == -1)
        }
        close(broker.other)
        #expect(try thread.join() == nil)
    }

    @Test func `what is granted is connected to, in any case of its name`() throws {
        let server = try ScriptedServer { _, _ in .status(204) }
        let (broker, thread) = try serving([ConnectionGrant(host: "localhost", port: UInt16(server.port))])
        send(Self.request(5, port: UInt16(server.port), host: "LocalHost").bytes, to: broker)
        let (reply, descriptor) = try answer(of: broker)
        #expect(reply == NetworkReply(number: 5, failure: nil))
        #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
        let connection = NetworkConnection(descriptor: descriptor)
        let text = "GET / HTTP/1.1\r\n\r\n"
        #expect(unsafe write(connection.descriptor, text, text.utf8.count) == text.utf8.count)
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        #expect(unsafe poll(&watched, 1, 600_000) == 1)
        #expect(server.requests.count == 1)
        close(broker.other)
        #expect(try thread.join() == nil)
    }

    @Test func `a descriptor that a worker sends along is closed`() throws {
        let (broker, thread) = try serving()
        var pipe: [Int32] = [-1, -1]
        try #require(unsafe Glibc.pipe(&pipe) == 0)
        send(Self.request(1, host: "b").bytes, to: broker, with: pipe[1])
        #expect(try answer(of: broker).reply.failure?.reason == .notGranted)
        close(pipe[1])
        var byte: UInt8 = 0
        #expect(unsafe read(pipe[0], &byte, 1) == 0)
        close(pipe[0])
        close(broker.other)
        #expect(try thread.join() == nil)
    }

    @Test func `a worker asks for as many connections at a time as the host makes, and gets all`()
        async throws
    {
        let slow = Slow { slow in
            // All that may be open are, or none is left that waits.
            if slow.waiting.withLock({ $0.count }) == NetworkRequest.most { slow.answer() }
        }
        let (broker, thread) = try serving(network: slow.network)
        let network = WorkerNetwork.services(of: "mail", through: broker.other).network
        #expect(network.isConfined)
        let reasons = await withTaskGroup(of: ConnectionFailure?.self) { group in
            for _ in 0..<NetworkRequest.most * 4 {
                group.addTask {
                    do throws(ConnectionFailure) {
                        _ = try await network.connect(to: "A", port: 80, within: .seconds(600))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1?.sentence) }
        }
        #expect(reasons == Array(repeating: "no", count: NetworkRequest.most * 4))
        #expect(slow.most.withLock { $0 } == NetworkRequest.most)
        broker.end()
        #expect(try thread.join() == nil)
    }

    @Test func `a wish whose time ends before the host takes it is told so, and the host is not asked`()
        throws
    {
        let all = DispatchSemaphore(value: 0)
        let slow = Slow { if $0.waiting.withLock({ $0.count }) == NetworkRequest.most { all.signal() } }
        let (broker, thread) = try serving(network: slow.network)
        let network = WorkerNetwork.services(of: "mail", through: broker.other).network
        for _ in 0..<NetworkRequest.most {
            network.connect(to: "a", port: 80, within: .seconds(600)) { _ in }
        }
        let late = Mutex<ConnectionFailure?>(nil)
        let isLate = DispatchSemaphore(value: 0)
        network.connect(to: "a", port: 80, within: .zero) { outcome in
            if case .failure(let failure) = outcome { late.withLock { $0 = failure } }
            isLate.signal()
        }
        all.wait()
        slow.answer()
        isLate.wait()
        #expect(
            late.withLock { $0 }
                == ConnectionFailure(
                    .timeout,
                    "a:80 took no connection in time; a worker has at most 32 made for it at a time"))
        broker.end()
        #expect(try thread.join() == nil)
        #expect(slow.waiting.withLock { $0.isEmpty })
    }

    /// A broker that lets its worker listen at a free port of this machine.
    private func listening() throws -> (
        listeners: GrantedListeners, address: ListeningAddress, port: Int,
        serve: () throws -> (broker: NetworkBroker, thread: TestThread<NetworkLie?>)
    ) {
        let port = try LocalPort.free()
        let address = ListeningAddress.port(host: "127.0.0.1", UInt16(port))
        let listeners = GrantedListeners(
            [try #require(ListeningGrant(address))],
            of: RunListeners().listeners(for: "mail", inWorker: true))
        return (
            listeners, address, port,
            {
                let broker = try NetworkBroker(for: "mail", [], listeners)
                return (broker, try TestThread { broker.serve() })
            }
        )
    }

    @Test func `a worker accepts clients at the socket of its host, which outlives its process`() async throws
    {
        let (listeners, address, port, serve) = try listening()
        #expect(listeners.open() == [])
        for _ in 0..<2 {
            // It came while no process ran.
            let client = try LocalConnection(port: port)
            let (broker, thread) = try serve()
            let services = WorkerNetwork.services(of: "mail", through: broker.other)
            let listener = try services.listeners.listen(at: address)
            #expect(listener.address == address)
            let connection = try await listener.accept()
            #expect(unsafe write(connection.descriptor, "a\n", 2) == 2)
            #expect(client.readLine() == "a")
            broker.end()
            #expect(try thread.join() == nil)
        }
        listeners.giveBack()
        #expect(!LocalPort.isHeld(port))
    }

    @Test func `the host closes its socket with the last copy that a worker gives back, and not before`()
        throws
    {
        let (listeners, address, port, serve) = try listening()
        let (broker, thread) = try serve()
        let services = WorkerNetwork.services(of: "mail", through: broker.other)
        let copies = try (0..<2).map { _ in try services.listeners.listen(at: address) }
        copies[0].giveBack()
        // An answer means that what was sent before is taken.
        let third = try services.listeners.listen(at: address)
        #expect(LocalPort.isHeld(port))
        for copy in [copies[1], third] { copy.giveBack() }
        #expect(throws: ListeningFailure.self) {
            try services.listeners.listen(at: .port(host: "127.0.0.1", 1))
        }
        #expect(!LocalPort.isHeld(port))
        broker.end()
        #expect(try thread.join() == nil)
        listeners.giveBack()
    }

    @Test func `a socket that a worker has shut down is another one for who asks next`() throws {
        let (listeners, address, port, serve) = try listening()
        let (broker, thread) = try serve()
        let services = WorkerNetwork.services(of: "mail", through: broker.other)
        let first = try services.listeners.listen(at: address)
        shutdown(first.descriptor, Int32(SHUT_RDWR))
        #expect(!LocalPort.isHeld(port))
        #expect(listeners.renew() == [])
        #expect(LocalPort.isHeld(port))
        let second = try services.listeners.listen(at: address)
        shutdown(second.descriptor, Int32(SHUT_RDWR))
        #expect(!LocalPort.isHeld(port))
        let last = try services.listeners.listen(at: address)
        #expect(LocalPort.isHeld(port))
        for listener in [first, second, last] { listener.giveBack() }
        broker.end()
        #expect(try thread.join() == nil)
        listeners.giveBack()
        #expect(!LocalPort.isHeld(port))
    }

    @Test func `an address that is not granted is refused, also where nothing is`() throws {
        let (_, address, _, serve) = try listening()
        let (broker, thread) = try serve()
        let other = ListeningAddress.port(host: "0.0.0.0", 1)
        let refused = { (listeners: HostListeners, address: ListeningAddress) in
            _ = #expect(throws: ListeningGrant.refusal(of: address, for: "mail")) {
                try listeners.listen(at: address)
            }
        }
        let some = WorkerNetwork.services(of: "mail", through: broker.other).listeners
        let none = WorkerNetwork.services(of: "mail", through: nil).listeners
        for listeners in [some, none] {
            refused(listeners, other)
            refused(listeners, .path("/run/a.sock"))
        }
        refused(none, address)
        broker.end()
        #expect(try thread.join() == nil)
        #expect(throws: ListeningFailure("the host makes no connections any more")) {
            try some.listen(at: address)
        }
    }

    @Test func `a port that is taken is told with the reason, and lent once it is free`() throws {
        let (listeners, address, _, serve) = try listening()
        let taken = try HostListeners().listen(at: address)
        let failure = ListeningFailure(
            "\(address): nobody can listen there: Address already in use; end what does, or choose another place"
        )
        #expect(listeners.open() == [failure])
        let (broker, thread) = try serve()
        let services = WorkerNetwork.services(of: "mail", through: broker.other)
        #expect(throws: failure) { try services.listeners.listen(at: address) }
        taken.giveBack()
        #expect(try services.listeners.listen(at: address).address == address)
        broker.end()
        #expect(try thread.join() == nil)
        listeners.giveBack()
    }

    @Test func `a worker whose host is gone gets nothing more, and is told so`() async throws {
        let slow = Slow()
        let (broker, thread) = try serving(network: slow.network)
        let network = WorkerNetwork.services(of: "mail", through: broker.other).network
        let task = Task { try await network.connect(to: "a", port: 80) }
        broker.end()
        let over = ConnectionFailure(.unreachable, "the host makes no connections any more")
        let outcome = await task.result
        #expect(throws: over) { try outcome.get() }
        await #expect(throws: over) { try await network.connect(to: "a", port: 80) }
        #expect(try thread.join() == nil)
    }

    @Test func `a worker without a grant, and a name that can be none, are refused at once`() async throws {
        let none = WorkerNetwork.services(of: "mail", through: nil).network
        #expect(none.isConfined)
        await #expect(throws: ConnectionGrant(host: "a", port: 80).refusal(for: "mail")) {
            try await none.connect(to: "a", port: 80)
        }
        let (broker, thread) = try serving()
        let network = WorkerNetwork.services(of: "mail", through: broker.other).network
        await #expect(
            throws: ConnectionFailure(
                .unknownHost,
                #"expected the name of a host, of at most 255 bytes, and a port from 1 to 65535, found "" and 0"#
            )
        ) {
            try await network.connect(to: "", port: 0)
        }
        broker.end()
        #expect(try thread.join() == nil)
    }
}
