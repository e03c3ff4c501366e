// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// Accepts the connections of a socket, each of which becomes an input.
@EventLoop
final class Listener {
    /// The socket that writers connect to.
    private let socket: ListeningSocket
    /// The input's account.
    private let account: InputAccount
    /// Publishes new inputs.
    private let ready: ReadyInputs
    /// Receives reports of problems.
    private let reports: Reporter
    /// Waits for the next connection.
    private var watch: DescriptorWatch?
    /// The open connections, by number; free numbers are reused, which bounds the number of names.
    private var isOpen: [Bool] = []
    /// Whether a lack of descriptors was reported.
    private var hasToldFull = false
    /// Whether new writers wait for whoever goes on.
    private var isHeld = false

    /// The most connections accepted at once, so that others need not wait.
    private static let mostAtOnce = 64

    /// Creates a listener that `start` starts.
    nonisolated init(
        _ socket: ListeningSocket, _ account: InputAccount, ready: ReadyInputs, reports: Reporter
    ) {
        self.socket = socket
        self.account = account
        self.ready = ready
        self.reports = reports
    }

    /// Starts accepting.
    func start() {
        do {
            watch = try DescriptorWatch(socket.descriptor, for: .readable) { [self] _ in accept() }
        } catch {
            reports.send(.lostInput("\(socket.name): cannot be waited for: \(error); start the host again"))
        }
    }

    /// Stops accepting; connections stay.
    func stop() {
        watch?.cancel()
        watch = nil
        socket.close()
    }

    /// Lets new writers wait; connections stay.
    func hold() {
        isHeld = true
        watch?.change(to: [])
    }

    /// Goes on accepting after `hold`.
    func goOn() {
        isHeld = false
        watch?.change(to: .readable)
    }

    /// Accepts all pending connections.
    private func accept() {
        for _ in 0..<Self.mostAtOnce {
            let accepted = gatehouse_local_accept(socket.descriptor)
            switch accepted {
            case 0...:
                hasToldFull = false
                add(accepted)
            case -EINTR, -ECONNABORTED: continue
            case -EAGAIN: return
            default: return pause(for: -accepted)
            }
        }
    }

    /// Goes on with a connection of another process, under the name that it had there; called before `start`.
    func adopt(_ connection: HandedConnection) { add(connection.descriptor, connection) }

    /// Publishes a connection.
    private func add(_ descriptor: Int32, _ handed: HandedConnection? = nil) {
        let place = handed?.number ?? isOpen.firstIndex(of: false) ?? isOpen.count
        while place >= isOpen.count { isOpen.append(false) }
        isOpen[place] = true
        let number = ready.nextNumber()
        let watch: DescriptorWatch
        do {
            watch = try ready.watch(descriptor, number)
        } catch {
            Glibc.close(descriptor)
            isOpen[place] = false
            return pause(for: error.code)
        }
        ready.add(
            .opened(
                OpenedInput(
                    number: number, descriptor: descriptor, name: "\(socket.name)#\(place + 1)",
                    kind: .connection, acknowledges: socket.acknowledges, place: place, handed: handed,
                    account: account, watch: watch
                ) { [self] in
                    watch.cancel()
                    Glibc.close(descriptor)
                    isOpen[place] = false
                }))
    }

    /// Waits until there may be room for another connection; new writers wait too.
    private func pause(for code: Int32) {
        if !hasToldFull {
            hasToldFull = true
            reports.send(
                .lostInput(
                    "\(socket.name): the next connection cannot be accepted: \(SystemReason.text(of: code)); "
                        + "it waits until others have closed; raise the limit with ulimit -n"))
        }
        watch?.change(to: [])
        _ = LoopTimer(after: .milliseconds(100)) { [self] in
            if !isHeld { watch?.change(to: .readable) }
        }
    }
}
