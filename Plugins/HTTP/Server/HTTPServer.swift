// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// The server of one instance: a door, a daemon behind it, and what answers.
final class HTTPServer: Sendable {
    /// Where clients find it.
    let address: String
    /// Speaks HTTP.
    private let daemon: HTTPDaemon
    /// Answers.
    private let router: Router
    /// Takes rounds: late clients, heartbeats, complaints.
    private let rounds: Task<Void, Never>
    /// Whether the door is closed.
    private let closing = Mutex(false)
    /// The gate of the instance.
    var gate: GateState {
        get { router.gate }
        set { router.gate = newValue }
    }

    /// The time between two rounds.
    static let round = Duration.seconds(5)

    /// Opens a server.
    ///
    /// - Throws: why nobody can listen at its place.
    init(
        _ context: HTTP.Context, _ window: DeliveryWindow,
        _ emit: @escaping @Sendable (DispatchedAction<HTTP.Action>) -> Void
    ) throws(ListeningFailure) {
        let settings = context.settings
        let listener = try context.listeners.listen(at: settings.listen.place)
        address = listener.address.description
        let complaints = Complaints(log: context.log, count: context.count)
        let router = Router(context, window, complaints, emit)
        self.router = router
        var bounds = HTTPDaemon.Bounds()
        bounds.connections = settings.maximumConnections.number
        // Half of it is what one client may have.
        bounds.bodies = max(bounds.bodies, 2 * settings.maximumBody.number)
        let daemon = HTTPDaemon(router, bounds) { complaints.note(.protocolError, $0) }
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
                complaints.tick()
                Self.tellHealth(of: router, context)
                context.gauge("connections", Double(daemon.connections))
            }
        }
        context.log("listening at \(settings.listen.isUnix ? address : "http://" + address)")
        if !settings.listen.isLocal, settings.reading == .open {
            context.log(
                .warning,
                "whoever reaches \(address) may look at the state; set \"reading\" to \"token\", or listen at 127.0.0.1"
            )
        }
        Self.tellHealth(of: router, context)
    }

    /// Tells the operator whether there are all secrets that are needed.
    private static func tellHealth(of router: Router, _ context: HTTP.Context) {
        context.health(router.secretProblem.map { .failing($0) } ?? .ok)
    }

    /// Whether the door is closed.
    var isClosing: Bool { closing.withLock { $0 } }

    /// Lets nobody in any more, and lets go of the socket; whoever is in is still answered.
    func closeDoor() {
        let isFirst = closing.withLock { closing in
            defer { closing = true }
            return !closing
        }
        guard isFirst else { return }
        daemon.closeDoor()
    }

    /// Ends at once, if nobody is in who waits for an answer; otherwise only the door is closed.
    func finishIfQuiet() -> Bool {
        closeDoor()
        guard daemon.isQuiet else { return false }
        stop()
        return true
    }

    /// Waits until whoever is in is answered, and ends.
    func finish() async {
        closeDoor()
        await daemon.drain()
        stop()
    }

    /// Ends at once.
    func stop() {
        rounds.cancel()
        closeDoor()
        daemon.stop()
        router.stop()
    }
}
