// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc

/// Answers the clients of a control socket, on the event loop.
///
/// No client can lock others out: at the limit, a new one replaces the client idle longest.
@EventLoop
final class ControlServer {
    /// The most connected clients.
    static let mostClients = 256

    /// Carries out the requests of clients.
    let service: ControlService
    /// How long a dismissed client has to take its remaining output.
    let patience: Duration
    /// The socket that clients connect to.
    private let socket: ControlSocket
    /// Called with dismissals of clients.
    private let report: @Sendable (HostReport) -> Void
    /// The connected clients, by number.
    private var clients: [Int: ControlClient] = [:]
    /// The number of the last client.
    private var lastNumber = 0
    /// Increases with each request.
    private var moment = 0
    /// The number of watching clients dropped for not reading.
    private var dropped = 0
    /// Waits for clients; nil before the start, and while descriptors are exhausted.
    private var listening: DescriptorWatch?

    /// Creates a server that `start` starts.
    nonisolated init(
        _ socket: ControlSocket, service: ControlService, patience: Duration = .seconds(5),
        report: @escaping @Sendable (HostReport) -> Void
    ) {
        self.socket = socket
        self.service = service
        self.patience = patience
        self.report = report
    }

    /// Starts answering.
    func start() {
        service.clients = { [weak self] in self?.facts ?? ControlClients() }
        do {
            listening = try DescriptorWatch(socket.descriptor, for: .readable) { [weak self] _ in
                self?.accept()
            }
        } catch {
            tell("requests are not answered: \(error)")
        }
    }

    /// Accepts nobody any more; those that are connected stay.
    func stopAccepting() {
        listening?.cancel()
        listening = nil
    }

    /// Whether no client waits for an answer.
    var isIdle: Bool { clients.values.allSatisfy { $0.isIdle || $0.isWatching } }

    /// Stops answering, and closes all clients.
    func end() {
        stopAccepting()
        for client in clients.values { client.close() }
    }

    /// Facts about the clients.
    var facts: ControlClients {
        ControlClients(
            connected: clients.count, watching: clients.values.count { $0.isWatching }, dropped: dropped)
    }

    /// Returns a number greater than all before, for finding the client idle longest.
    func nextMoment() -> Int {
        moment += 1
        return moment
    }

    /// Removes a client that has closed.
    func forget(_ client: ControlClient) { clients[client.number] = nil }

    /// Records the drop of a watching client that did not read.
    func noteDropped(_ client: ControlClient) {
        dropped += 1
        tell("client \(client.number) watched and did not read; it was disconnected")
    }

    // MARK: - Implementation details

    /// Accepts pending connections.
    private func accept() {
        for _ in 0..<64 {
            let descriptor = gatehouse_local_accept(socket.descriptor)
            if descriptor == -EMFILE || descriptor == -ENFILE { return rest() }
            guard descriptor >= 0 else { return }
            admit(descriptor)
        }
    }

    /// Pauses accepting for lack of descriptors; the client idle longest makes room.
    private func rest() {
        idlest?.dismiss(.exhausted("the host has no more descriptors; connect again"))
        listening?.cancel()
        listening = nil
        _ = LoopTimer(after: .milliseconds(100)) { [weak self] in self?.start() }
    }

    /// Admits a client that has permission.
    private func admit(_ descriptor: Int32) {
        let user = gatehouse_local_user(descriptor)
        lastNumber += 1
        let client = ControlClient(descriptor, number: lastNumber, of: self)
        guard user == 0 || user == Int64(geteuid()) else {
            return client.dismiss(
                .denied("this host answers user \(geteuid()) and root, and you are user \(user)"))
        }
        if clients.count >= Self.mostClients {
            let sentence = "\(Self.mostClients) clients are connected, which is the limit"
            guard let idlest else {
                return client.dismiss(.exhausted(sentence + "; connect again when one has left"))
            }
            idlest.dismiss(.exhausted(sentence + ", and this one was idle longest; connect again"))
        }
        clients[client.number] = client
        client.begin()
    }

    /// The idle client that has been idle longest.
    private var idlest: ControlClient? {
        clients.values.filter(\.isIdle).min { $0.lastMoment < $1.lastMoment }
    }

    /// Reports to the operator; not on this thread, which must not wait for a reader.
    private func tell(_ sentence: String) {
        BackgroundThread.perform { [report] in report(.control(sentence)) }
    }
}
