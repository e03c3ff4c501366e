// SPDX-License-Identifier: Apache-2.0

private import Dispatch
internal import GatehouseSDK
private import Glibc
private import Synchronization

// What a plugin reaches of the network.
extension ForeignPort {
    /// Connects to a server, and waits for the outcome.
    ///
    /// - Parameter nanoseconds: how long; an hour at most.
    /// - Returns: the socket, which blocks and is the plugin's to close.
    func connect(
        to host: String, _ number: UInt32, within nanoseconds: UInt64
    ) throws(ForeignRefusal) -> Result<Int32, ConnectionFailure> {
        let number = try Self.port(number, of: host)
        let network = try change { content throws(ForeignRefusal) in
            // The host does nothing else while a call of it waits.
            guard let services = content.services, content.call?.thread != StoreThread.current,
                content.output?.sink.drain?.isCurrent != true
            else { throw .notNow }
            return services.network
        }
        let (outcome, isThere) = (Outcome(), DispatchSemaphore(value: 0))
        network.connect(
            to: host, port: number, within: min(.nanoseconds(Int64(clamping: nanoseconds)), .seconds(3_600))
        ) {
            made in
            outcome.value.withLock { $0 = made.map { $0.take() } }
            isThere.signal()
        }
        isThere.wait()
        guard let made = outcome.value.withLock({ $0 }) else { throw .gone }
        if case .success(let socket) = made { _ = fcntl(socket, F_SETFL, 0) }
        return made
    }

    /// Carries what has come of a wish to connect to the thread that waits for it.
    private final class Outcome: Sendable {
        /// The socket, or why there is none; nil before.
        let value = Mutex<Result<Int32, ConnectionFailure>?>(nil)
    }

    /// Listens at an address until the instance has stopped.
    ///
    /// - Returns: a socket beside the run's own, which is the plugin's to close.
    func listen(at host: String, _ number: UInt32) throws(ForeignRefusal) -> Result<Int32, ListeningFailure> {
        let number = try Self.port(number, of: host)
        let listeners = try change { content throws(ForeignRefusal) in
            guard let services = content.services, !content.isIn(.reduce) else { throw .notNow }
            return services.listeners
        }
        do throws(ListeningFailure) {
            let listener = try listeners.listen(at: .port(host: host, number))
            let own = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 0)
            guard own != -1 else {
                throw ListeningFailure("\(listener.address): this process has no descriptor left for it")
            }
            let isLate = content.withLock { content in
                if !content.isClosed { content.listeners.append(listener) }
                return content.isClosed
            }
            guard isLate else { return .success(own) }
            Glibc.close(own)
            throw ListeningFailure("\(listener.address): the instance is gone")
        } catch {
            return .failure(error)
        }
    }

    /// Gives back the sockets at which the plugin listens; those that it has been given stay its own.
    func giveBackListeners() {
        let listeners = content.withLock { content in
            defer { content.listeners = [] }
            return content.listeners
        }
        for listener in listeners { listener.giveBack() }
    }

    /// The number of a port of a host.
    private static func port(_ number: UInt32, of host: String) throws(ForeignRefusal) -> UInt16 {
        guard let port = UInt16(exactly: number), port > 0, !host.isEmpty else { throw .invalid }
        return port
    }
}
