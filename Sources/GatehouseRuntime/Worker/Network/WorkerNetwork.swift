// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Dispatch
internal import GatehousePlan
internal import GatehouseSDK
private import GatehouseSupport
private import Glibc
private import Synchronization

/// The worker's side of `NetworkBroker`: asks the host for connections, several at a time, and for sockets that listen, and takes them
/// on a thread of its own.
///
/// Callable from any thread.
final class WorkerNetwork: Sendable {
    /// What somebody waits for.
    private struct Wish {
        /// The name or the address.
        let host: String
        /// The port.
        let port: UInt16
        /// Until when.
        let deadline: ContinuousClock.Instant
        /// Takes the outcome.
        let completion: HostNetwork.Completion
    }

    /// What is guarded by the lock.
    private struct Content {
        /// The number of the last request.
        var last: UInt32 = 0
        /// What the host was asked for, by the number of the request.
        var asked: [UInt32: Wish] = [:]
        /// What it is asked for when it has answered, in order: it takes so many requests at a time and no more.
        var waiting: [Wish] = []
        /// Whether the host answers no more.
        var isOver = false
    }

    /// The worker's end of the socket, which stays open as long as the process.
    private let descriptor: Int32
    /// What varies.
    private let content = Mutex(Content())

    /// Wraps an inherited socket, and begins to take answers.
    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        BackgroundThread.perform { self.take() }
    }

    /// What an instance in a worker connects and listens through.
    ///
    /// - Parameter descriptor: the socket by which the host is asked; nil where its entry grants nothing of the network.
    static func services(
        of instance: String, through descriptor: Int32?
    ) -> (network: HostNetwork, listeners: HostListeners) {
        guard let descriptor else {
            let network = HostNetwork(isConfined: true) { host, port, _, completion in
                completion(.failure(ConnectionGrant(host: host, port: port).refusal(for: instance)))
            }
            let listeners = HostListeners { address throws(ListeningFailure) in
                throw ListeningGrant.refusal(of: address, for: instance)
            }
            return (network, listeners)
        }
        let network = WorkerNetwork(descriptor)
        return (
            HostNetwork(isConfined: true) { network.connect(to: $0, $1, within: $2, $3) },
            HostListeners { address throws(ListeningFailure) in
                try network.listen(at: address, as: instance)
            }
        )
    }

    /// Asks for the socket that listens at an address, and waits for it: the host answers at once.
    private func listen(
        at address: ListeningAddress, as instance: String
    ) throws(ListeningFailure) -> BorrowedListener {
        guard let grant = ListeningGrant(address), case .port(let host, let port) = grant.address else {
            throw ListeningGrant.refusal(of: address, for: instance)
        }
        let (answer, isThere) = (Answer(), DispatchSemaphore(value: 0))
        let wish = Wish(host: host, port: port, deadline: .now) { outcome in
            answer.outcome.withLock { $0 = outcome }
            isThere.signal()
        }
        let isAsked = content.withLock { content in
            guard !content.isOver else { return false }
            send(wish, as: .listen, within: 1, in: &content)
            return true
        }
        if isAsked { isThere.wait() }
        do throws(ConnectionFailure) {
            let descriptor = try answer.outcome.withLock { $0 }.get().take()
            // Whoever had it before may have changed that.
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return BorrowedListener(descriptor: descriptor, address: grant.address) { [self] in
                let bytes = NetworkRequest(number: 0, port: port, wish: .giveBack, host: host).bytes
                _ = unsafe gatehouse_send_with(self.descriptor, bytes, bytes.count, -1)
            }
        } catch {
            throw ListeningFailure(error.sentence)
        }
    }

    /// Carries the answer to the thread that waits for it.
    private final class Answer: Sendable {
        /// What has come of the request.
        let outcome = Mutex<Result<NetworkConnection, ConnectionFailure>>(.failure(over))
    }

    /// Sends a request, and notes what waits for its answer.
    private func send(
        _ wish: Wish, as kind: NetworkRequest.Wish, within milliseconds: UInt32, in content: inout Content
    ) {
        repeat { content.last &+= 1 } while content.asked[content.last] != nil
        content.asked[content.last] = wish
        let bytes = NetworkRequest(
            number: content.last, milliseconds: milliseconds, port: wish.port, wish: kind, host: wish.host
        ).bytes
        // There is room for all requests that may be open; a host that is gone is found by the other thread.
        _ = unsafe gatehouse_send_with(descriptor, bytes, bytes.count, -1)
    }

    /// Asks for a connection, or lets that wait until the host takes another request.
    private func connect(
        to host: String, _ port: UInt16, within limit: Duration,
        _ completion: @escaping HostNetwork.Completion
    ) {
        guard (1...NetworkRequest.longestHost).contains(host.utf8.count), port > 0, !host.utf8.contains(0)
        else {
            return completion(
                .failure(
                    ConnectionFailure(
                        .unknownHost,
                        "expected the name of a host, of at most \(NetworkRequest.longestHost) bytes, and a port from 1 to 65535, found \(Quotation.of(host)) and \(port)"
                    )))
        }
        let wish = Wish(
            host: host, port: port, deadline: .now.advanced(by: min(limit, .seconds(3_600))),
            completion: completion)
        let isOver = content.withLock { content in
            if !content.isOver { content.waiting.append(wish) }
            return content.isOver
        }
        if isOver { completion(.failure(Self.over)) } else { ask() }
    }

    /// Asks for what waits, as far as the host takes it.
    private func ask() {
        let late = content.withLock { content -> [Wish] in
            var late: [Wish] = []
            while !content.waiting.isEmpty, content.asked.count < NetworkRequest.most {
                let wish = content.waiting.removeFirst()
                let left = ContinuousClock.now.duration(to: wish.deadline) / .milliseconds(1)
                guard left > 0 else {
                    late.append(wish)
                    continue
                }
                send(wish, as: .connect, within: UInt32(left.rounded(.up)), in: &content)
            }
            return late
        }
        for wish in late {
            wish.completion(
                .failure(
                    ConnectionFailure(
                        .timeout,
                        "\(ConnectionGrant(host: wish.host, port: wish.port).place) took no connection in time; a worker has at most \(NetworkRequest.most) made for it at a time"
                    )))
        }
    }

    /// Takes answers until the host is gone.
    private func take() {
        var bytes = [UInt8](repeating: 0, count: NetworkReply.longest)
        while true {
            var received: Int32 = -1
            let count = unsafe gatehouse_receive_with(descriptor, &bytes, bytes.count, &received)
            let connection = received < 0 ? nil : NetworkConnection(descriptor: received)
            guard count >= NetworkReply.shortest, let reply = NetworkReply(bytes[..<count]) else { break }
            let wish = content.withLock { $0.asked.removeValue(forKey: reply.number) }
            if let failure = reply.failure {
                wish?.completion(.failure(failure))
            } else {
                wish?.completion(connection.map(Result.success) ?? .failure(Self.over))
            }
            ask()
        }
        let left = content.withLock { content -> [Wish] in
            content.isOver = true
            defer { (content.asked, content.waiting) = ([:], []) }
            return content.asked.values + content.waiting
        }
        for wish in left { wish.completion(.failure(Self.over)) }
    }

    /// Nobody makes connections any more.
    private static let over = ConnectionFailure(.unreachable, "the host makes no connections any more")
}
