// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// The server of one instance: a socket, its daemon, and the routes.
final class HTTPServer: Sendable {
    /// The address for clients.
    let address: String
    /// Serves HTTP.
    private let daemon: HTTPDaemon
    /// Makes the answers.
    let router: Router
    /// Runs the rounds: late clients, heartbeats, complaints.
    private let rounds: Task<Void, Never>
    /// The time between two rounds.
    static let round = Duration.seconds(5)

    /// Opens a server.
    ///
    /// - Throws: why nobody can listen at its address.
    init(
        _ context: HTTP.Context, _ window: DeliveryWindow,
        _ emit: @escaping @Sendable (DispatchedAction<HTTP.Action>) -> Void
    ) throws(ListeningFailure) {
        let settings = context.settings
        let listener = try context.listeners.listen(at: settings.listen.place)
        address = listener.address.description
        let throttledLog = ThrottledLog(log: context.log, count: context.count)
        let router = Router(context, window, throttledLog, emit)
        self.router = router
        var bounds = HTTPDaemon.Bounds()
        bounds.connections = settings.maximumConnections
        // One client may have half of it.
        bounds.bodies = max(bounds.bodies, 2 * settings.maximumBody)
        let daemon = HTTPDaemon(bounds, judge: router.judge) { throttledLog.note(.protocolError, $0) }
        self.daemon = daemon
        guard daemon.start(at: listener) else {
            listener.giveBack()
            throw ListeningFailure(
                "\(address): the server cannot start; raise the limits of threads and descriptors")
        }
        let clock = context.clock?.clock ?? ContinuousClock()
        rounds = Task.detached {
            while (try? await clock.sleep(for: Self.round)) != nil {
                daemon.tick()
                router.tick()
                throttledLog.tick()
                Self.tellHealth(of: router, context)
                context.gauge("connections", Double(daemon.connections))
            }
        }
        context.log("listening at \(settings.listen.isUnix ? address : "http://" + address)")
        if !settings.listen.isLocal, settings.reading == .open {
            context.log(
                .warning,
                "anyone who can reach \(address) can read the state; set \"reading\" to \"token\", or listen at 127.0.0.1"
            )
        }
        Self.tellHealth(of: router, context)
    }

    /// Reports whether all necessary secrets can be read.
    private static func tellHealth(of router: Router, _ context: HTTP.Context) {
        context.health(router.secretProblem.map { .failing($0) } ?? .ok)
    }

    /// Whether the server has stopped accepting.
    var isClosing: Bool { daemon.isClosing }

    /// Stops accepting, and releases the socket; accepted clients are still answered.
    func stopAccepting() { daemon.stopAccepting() }

    /// Ends at once, if no client waits for an answer; otherwise only stops accepting.
    func finishIfIdle() -> Bool {
        stopAccepting()
        guard daemon.isIdle else { return false }
        stop()
        return true
    }

    /// Waits until accepted clients are answered, and ends.
    func finish() async {
        stopAccepting()
        await daemon.drain()
        stop()
    }

    /// Ends at once.
    func stop() {
        rounds.cancel()
        daemon.stop()
        router.stop()
    }
}
