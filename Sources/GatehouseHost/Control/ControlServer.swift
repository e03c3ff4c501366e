// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Answers the clients of a control socket, on the event loop.
///
/// Nobody can keep others from being answered: when there are as many clients as there may be, the one goes that has been idle
/// longest.
@EventLoop
final class ControlServer {
    /// How many clients may be connected.
    static let mostClients = 256

    /// What the clients are in front of.
    let desk: ControlDesk
    /// So long has who is let go of to take what was written for it.
    let patience: Duration
    /// The socket to which clients connect.
    private let socket: ControlSocket
    /// Told about clients that were let go of.
    private let report: @Sendable (HostReport) -> Void
    /// Those that are connected, by number.
    private var clients: [Int: ControlClient] = [:]
    /// The number of the last client.
    private var lastNumber = 0
    /// Grows with each request.
    private var moment = 0
    /// Clients that watched and did not read.
    private var dropped = 0
    /// Waits for clients; nil before the start, and while there are no descriptors for more.
    private var listening: DescriptorWatch?

    /// A server that `start` starts.
    nonisolated init(
        _ socket: ControlSocket, desk: ControlDesk, patience: Duration = .seconds(5),
        report: @escaping @Sendable (HostReport) -> Void
    ) {
        self.socket = socket
        self.desk = desk
        self.patience = patience
        self.report = report
    }

    /// Answers from here on.
    func start() {
        desk.clients = { [weak self] in self?.facts ?? ControlClients() }
        do {
            listening = try DescriptorWatch(socket.descriptor, for: .readable) { [weak self] _ in
                self?.accept()
            }
        } catch {
            tell("nobody is answered: \(error)")
        }
    }

    /// Answers nobody any more.
    func end() {
        listening?.cancel()
        listening = nil
        for client in clients.values { client.close() }
    }

    /// What is known of the clients.
    var facts: ControlClients {
        var facts = ControlClients()
        facts.connected = clients.count
        facts.watching = clients.values.count { $0.isWatching }
        facts.dropped = dropped
        return facts
    }

    /// The next number, greater than all before; for finding who has been idle longest.
    func nextMoment() -> Int {
        moment += 1
        return moment
    }

    /// Forgets a client that has gone.
    func forget(_ client: ControlClient) { clients[client.number] = nil }

    /// Takes note of a client that watched and did not read.
    func noteDropped(_ client: ControlClient) {
        dropped += 1
        tell("client \(client.number) watched and did not read; it was let go of")
    }

    // MARK: - Implementation details

    /// Takes those who want to connect.
    private func accept() {
        for _ in 0..<64 {
            let descriptor = gatehouse_local_accept(socket.descriptor)
            if descriptor == -EMFILE || descriptor == -ENFILE { return rest() }
            guard descriptor >= 0 else { return }
            admit(descriptor)
        }
    }

    /// Lets nobody in for a moment, because there are no descriptors; who has been idle longest makes room.
    private func rest() {
        idlest?.dismiss(.exhausted("the host has no more descriptors; connect again"))
        listening?.cancel()
        listening = nil
        _ = LoopTimer(after: .milliseconds(100)) { [weak self] in self?.start() }
    }

    /// Lets a client in who may come in.
    private func admit(_ descriptor: Int32) {
        let user = gatehouse_local_user(descriptor)
        lastNumber += 1
        let client = ControlClient(descriptor, number: lastNumber, of: self)
        guard user == 0 || user == Int64(geteuid()) else {
            return client.dismiss(
                .denied("this host answers user \(geteuid()) and root, and you are user \(user)"))
        }
        if clients.count >= Self.mostClients {
            let sentence = "\(Self.mostClients) clients are connected, which is the most"
            guard let idlest else {
                return client.dismiss(.exhausted(sentence + "; connect again when one has gone"))
            }
            idlest.dismiss(.exhausted(sentence + ", and this one was idle longest; connect again"))
        }
        clients[client.number] = client
        client.begin()
    }

    /// Of the clients that wait for nothing the one that has waited longest.
    private var idlest: ControlClient? {
        clients.values.filter(\.isIdle).min { $0.lastMoment < $1.lastMoment }
    }

    /// Tells the operator; not on this thread, which must not wait for who reads.
    private func tell(_ sentence: String) {
        BackgroundThread.perform { [report] in report(.control(sentence)) }
    }
}
