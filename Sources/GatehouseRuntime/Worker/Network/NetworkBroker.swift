// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
internal import Glibc
private import Synchronization

/// Makes the connections that a worker is granted, and hands them over, with the sockets at which it may listen; every byte that comes
/// from the worker is input.
///
/// It serves on one thread; connections are made on others, so that one that takes long keeps no other waiting, and nobody in the
/// host waits for any.
final class NetworkBroker: Sendable {
    /// What is guarded by the lock.
    private struct Content {
        /// The numbers of the connections without an answer.
        var open: Set<UInt32> = []
        /// How many copies of its sockets the worker has.
        var lent: [ListeningGrant: Int] = [:]
        /// What the worker has done that no honest one does.
        var lie: NetworkLie?
    }

    /// The worker's end of the socket, which the process inherits; closed by whoever starts that.
    let other: Int32
    /// The host's end.
    private let own: Int32
    /// The instance that runs in the worker.
    private let instance: String
    /// The connections that are granted.
    private let grants: [ConnectionGrant]
    /// The sockets that are granted, which outlive the worker's process.
    private let listeners: GrantedListeners
    /// Makes connections.
    private let network: HostNetwork
    /// What varies.
    private let content = Mutex(Content())

    /// Creates the socket; nothing is served yet.
    ///
    /// - Parameters:
    ///   - instance: the id of the instance in the worker.
    ///   - listeners: the sockets at which it may listen.
    ///   - network: makes connections in this process.
    ///   - patience: how long a worker may leave its answers where they are, when there is no room for another one.
    /// - Throws: what the system refuses.
    init(
        for instance: String, _ grants: [ConnectionGrant],
        _ listeners: GrantedListeners = GrantedListeners(), network: HostNetwork = HostNetwork(),
        patience: Duration = .seconds(10)
    ) throws(ChildFailure) {
        var ends: [Int32] = [-1, -1]
        guard
            unsafe socketpair(
                AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
        else { throw ChildFailure("socketpair", code: errno) }
        (own, other) = (ends[0], ends[1])
        self.instance = instance
        self.grants = grants
        self.listeners = listeners
        self.network = network
        // The answers to all requests that may be open fit, so that an honest worker is never waited for.
        var room = Int32(NetworkRequest.most * 4_096)
        unsafe setsockopt(own, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
        let (seconds, attoseconds) = patience.components
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        unsafe setsockopt(own, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    // Whoever makes a connection keeps this object, so nobody writes into another socket of the same number.
    deinit { close(own) }

    /// Serves until the worker has closed its end, or `end` is called.
    ///
    /// - Returns: what the worker has done that no honest one does; nil for nothing.
    func serve() -> NetworkLie? {
        var bytes = [UInt8](repeating: 0, count: NetworkRequest.longest)
        while true {
            // Descriptors that come along are closed by the system, because there is no place for them.
            let count = unsafe recv(own, &bytes, bytes.count, Int32(MSG_TRUNC))
            if count < 0, errno == EINTR { continue }
            guard count > 0 || count == 0 && !isClosed else { return content.withLock { $0.lie } }
            do throws(NetworkLie) {
                guard count <= bytes.count else { throw .badLength(count) }
                try answer(try NetworkRequest(bytes[..<count]))
            } catch {
                return error
            }
        }
    }

    /// Ends serving; connections that are being made come to nothing.
    func end() { shutdown(own, Int32(SHUT_RDWR)) }

    // MARK: - Implementation details

    /// Whether the other end is closed: a message without a byte looks the same otherwise.
    private var isClosed: Bool {
        var watched = pollfd(fd: own, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, 0) > 0 && watched.revents & Int16(POLLHUP) != 0
    }

    /// Does what is asked for, begins with it, or refuses it.
    private func answer(_ request: NetworkRequest) throws(NetworkLie) {
        switch request.wish {
        case .connect: try connect(request)
        case .listen:
            let outcome = copy(for: request)
            tell(request.number, outcome)
        case .giveBack: try takeBack(request)
        }
    }

    /// The socket that a worker asks for: that of its grant, whatever it has written in its place.
    private func copy(for request: NetworkRequest) -> Result<NetworkConnection, ConnectionFailure> {
        let address = ListeningAddress.port(host: request.host, request.port)
        guard let grant = ListeningGrant(address), listeners.grants.contains(grant) else {
            return .failure(
                ConnectionFailure(
                    .notGranted, ListeningGrant.refusal(of: address, for: instance).sentence))
        }
        do throws(ListeningFailure) {
            let copy = try listeners.copy(of: grant)
            content.withLock { $0.lent[grant, default: 0] += 1 }
            return .success(copy)
        } catch {
            return .failure(ConnectionFailure(.unreachable, error.sentence))
        }
    }

    /// Takes note of a copy that is closed; the host closes its own with the last.
    private func takeBack(_ request: NetworkRequest) throws(NetworkLie) {
        let grant = ListeningGrant(.port(host: request.host, request.port))
        let count = content.withLock { content -> Int? in
            guard let grant, let count = content.lent[grant], count > 0 else { return nil }
            content.lent[grant] = count - 1
            return count - 1
        }
        guard let grant, let count else { throw .notLent }
        if count == 0 { listeners.giveBack(grant) }
    }

    /// Begins to connect, or refuses that.
    private func connect(_ request: NetworkRequest) throws(NetworkLie) {
        let isNew = content.withLock {
            $0.open.count < NetworkRequest.most && $0.open.insert(request.number).inserted
        }
        guard isNew else { throw .tooMany }
        let wanted = ConnectionGrant(host: request.host, port: request.port)
        // What is connected to is what the operator has written, not what the worker has.
        guard let grant = grants.first(where: { $0 == wanted }) else {
            return tell(request.number, .failure(wanted.refusal(for: instance)))
        }
        network.connect(to: grant.host, port: grant.port, within: .milliseconds(request.milliseconds)) {
            [self] in tell(request.number, $0)
        }
    }

    /// Tells the worker what has come of a request.
    private func tell(_ number: UInt32, _ outcome: Result<NetworkConnection, ConnectionFailure>) {
        // Before the answer, which may lead to the next request.
        content.withLock { _ = $0.open.remove(number) }
        var result: Int32
        switch outcome {
        case .success(let connection):
            result = send(NetworkReply(number: number, failure: nil), passing: connection.descriptor)
            if ![0, -EAGAIN, -EPIPE, -ECONNRESET].contains(result) {
                // Such as too many descriptors on their way.
                let words = SystemFailure(code: -result).description
                result = send(
                    NetworkReply(number: number, failure: ConnectionFailure(.unreachable, words)))
            }
        case .failure(let failure): result = send(NetworkReply(number: number, failure: failure))
        }
        guard result == -EAGAIN else { return }
        content.withLock { $0.lie = .deaf }
        end()
    }

    /// Sends an answer, with a copy of a descriptor where there is one; returns 0, or minus an errno.
    private func send(_ reply: NetworkReply, passing descriptor: Int32? = nil) -> Int32 {
        let bytes = reply.bytes
        return unsafe gatehouse_send_with(own, bytes, bytes.count, descriptor ?? -1)
    }
}
