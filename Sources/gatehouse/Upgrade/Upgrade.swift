// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseJournal
internal import GatehouseManifest
internal import GatehouseMember
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// Lets another process of this program, or of the one that has replaced it, go on where this host stands, without a gap.
///
/// The new process starts beside this one, tries and loads everything, and follows the journal. Only then this host stands still between two
/// actions: the other one reduces the last batch, opens the journal, and gets the connections with what was read of them. Up to that moment
/// this host simply goes on when the other one fails. After it, the journal belongs to the other process: if that fails, this program
/// starts once more in the same way.
final class Upgrade: RunComponent {
    /// Lets the run stand still.
    private let standstill: Standstill
    /// The journal; nil where there is none, and then no upgrade, but for a member of a cluster.
    private let journal: HostJournal?
    /// The partitions, which go by their engine; nil for a host outside a cluster.
    private let member: ClusterHost?
    /// How long their effects may take to finish.
    private let grace: Duration
    /// Lets no reload begin meanwhile.
    private let reloader: Reloader
    /// The sockets for writers and clients, and those of socket units.
    private let sockets: [(descriptor: Int32, name: String)]
    /// The sockets at which instances listen.
    private let listeners: RunListeners
    /// Watches this process; nil for nobody, and then no upgrade.
    private let service: NotifySocket?
    /// The standard output of this process.
    private let output: Int32
    /// Asks the run to end.
    private let stop: StopRequest
    /// Answers the clients.
    private let control: RunControl
    /// Takes SIGHUP.
    private let signals: Signals
    /// Whether a supervisor reads the flight recorder.
    private let isSupervised: Bool
    /// The supervisor's process, which may not be the parent yet; nil without one.
    private let supervisor: pid_t?
    /// Whether this host reads files or pipes to their ends.
    private let readsStreams: Bool
    /// Why this host cannot be upgraded; nil where it can.
    private let objection: String?

    /// How long the new process may take to prepare itself.
    private static let preparation = Duration.seconds(600)
    /// How long it may take once this host stands still, for each step.
    private static let takeover = Duration.seconds(30)

    /// Prepares upgrades of a host that has started.
    init(
        of host: Host, _ reloading: Reloading, _ inputs: RunInputs, _ control: RunControl,
        _ crashes: CrashLog,
        member: ClusterHost?, _ context: RunContext
    ) {
        (standstill, journal) = (host.standstill, host.journal)
        (self.member, grace) = (member, context.options.grace)
        (listeners, service) = (context.listeners, context.service)
        (output, stop, signals) = (context.process.results, context.process.stop, context.process.signals)
        var sockets = context.handed.descriptors.filter { !HandedSockets.isPassing($0.name) } + inputs.own
        if let socket = control.socket { sockets.append((socket.descriptor, HandedSockets.controlName)) }
        self.sockets = sockets
        self.control = control
        readsStreams = inputs.readStreams
        reloader = reloading.reloader
        isSupervised = crashes.isSupervised
        supervisor = isSupervised ? context.predecessor?.supervisor ?? getppid() : nil
        objection =
            if member?.isInMemory == true {
                "the partitions are in this process's memory and end with it; keep them in a file, with \"engine\": \"local:partitions.db\", or start the host again"
            } else if host.journal == nil, member == nil {
                "a host without a journal cannot hand over its state; name one in plugins.json, or start the host again"
            } else if context.service == nil {
                "nobody would watch the new process; run the host under a service manager, or with --supervise"
            } else {
                nil
            }
    }

    /// Lets SIGHUP ask for an upgrade where another file has replaced this program, and for a reload otherwise.
    func start() {
        EventLoop.perform { [self] in
            signals.onHangUp { [self] in
                guard objection == nil, HostStart.isReplaced else { return reloader.reload(.signal) }
                Task { @EventLoop in
                    do throws(ControlError) { _ = try await upgrade(to: nil) } catch {
                        // Another process goes on by now, which is given the signal.
                        if error == .handedOver {
                            EventLoop.perform { self.reloader.reload(.signal) }
                        } else {
                            StandardError.tell(error.message, .error)
                        }
                    }
                }
            }
        }
    }

    // MARK: - What the new process gets

    /// What a successor gets.
    private func start(_ program: String, flightRecorder: Int32?) -> HostStart {
        var start = HostStart(program: program)
        start.sockets = sockets + listeners.descriptors
        if let flightRecorder { start.others = [(SupervisorLink.variable, flightRecorder, ":\(getpid())")] }
        return start
    }

    /// The first message to a successor.
    private var hello: Members {
        var members: Members = [
            "form": Value(UpgradeLink.form), "version": .string("\(SDKIdentity.current.sdkVersion)"),
            "journal": .string(journal?.folder ?? ""),
        ]
        members["supervisor"] = supervisor.map { Value($0) }
        members["member"] = member.map { .string($0.title) }
        return members
    }

    // MARK: - The upgrade

    /// The process that goes on.
    private struct Heir {
        /// Its process id.
        let process: pid_t
        /// What the client is told.
        let value: Value
    }

    /// Upgrades the host, on a thread of its own.
    ///
    /// - Parameter program: the program to go on with; nil for the one that is installed where this one was.
    private func perform(_ program: String?) -> Result<Heir, UpgradeFailure> {
        let program = program ?? HostStart.installedProgram
        do throws(UpgradeFailure) {
            let recorder = isSupervised ? try Self.flightRecorder() : nil
            defer { if let recorder { close(recorder) } }
            let successor = try prepare(program, recorder)
            // The thread that reads must not wait for one that has been asked to end meanwhile.
            let done = WakePipe()
            let result = Mutex<Result<Heir, UpgradeFailure>?>(nil)
            nonisolated(unsafe) let waiting = successor
            standstill.ask(
                { [self] connections in
                    let start = ContinuousClock.now
                    // Who connects from here on waits for the process that goes on, whichever that is.
                    control.leave()
                    let outcome = unsafe takeOver(waiting, connections, recorder)
                    defer { done.wake() }
                    switch outcome {
                    case .success(let (process, admission)):
                        let pause = ContinuousClock.now - start
                        StandardError.tell(
                            "process \(process) goes on for this host; inputs waited \(Int(pause / .milliseconds(1))) ms"
                        )
                        let heir = Heir(
                            process: process,
                            value: [
                                "process": Value(process), "pause": .double(pause / .seconds(1)),
                                "connections": Value(connections.count),
                            ])
                        result.withLock { $0 = .success(heir) }
                        return .handedOver(admission)
                    case .failure(let failure):
                        journal?.goOn()
                        control.comeBack()
                        result.withLock { $0 = .failure(failure) }
                        return .resumed
                    }
                },
                orElse: { obstacle in
                    // The drain keeps what it has not come to, and with it this process.
                    _ = unsafe waiting.end()
                    result.withLock { $0 = .failure(UpgradeFailure(obstacle)) }
                    done.wake()
                })
            while result.withLock({ $0 == nil }) {
                done.wait(atMost: 100)
                if stop.isAsked, standstill.withdraw() {
                    throw UpgradeFailure("the host was asked to end meanwhile")
                }
            }
            return result.withLock { $0 } ?? .failure(UpgradeFailure("the host has ended"))
        } catch {
            return .failure(error)
        }
    }

    /// Starts a successor, and waits until it has prepared itself.
    private func prepare(_ program: String, _ recorder: Int32?) throws(UpgradeFailure) -> Successor {
        guard unsafe access(program, X_OK) == 0 else {
            throw UpgradeFailure("\(program) cannot be executed: \(SystemFailure.last)")
        }
        let successor: Successor
        do throws(SystemFailure) {
            successor = try Successor(
                start(program, flightRecorder: recorder), output: output)
        } catch {
            throw UpgradeFailure("\(program) cannot be started: \(error)")
        }
        successor.link.send(.hello, hello)
        let takesStreams: Bool
        do throws(UpgradeLink.Silence) {
            let prepared = try successor.link.receive(.prepared, within: Self.preparation)
            takesStreams = prepared.facts["streams"]?.boolValue ?? false
        } catch {
            throw UpgradeFailure(successor, error, "before it was prepared")
        }
        guard takesStreams || !readsStreams else {
            throw UpgradeFailure(
                "\(program) is older, and does not go on with files or pipes that are read to their ends")
        }
        return successor
    }

    /// Hands over while the host stands still; called in the drain.
    private func takeOver(
        _ successor: Successor, _ connections: [HandedConnection], _ recorder: Int32?
    ) -> Result<(process: pid_t, admission: any Admission), UpgradeFailure> {
        guard !stop.isAsked else { return .failure(UpgradeFailure("the host was asked to end meanwhile")) }
        journal?.standStill()
        do {
            try journal?.commit()
            try member?.gateway.router.finish()
        } catch {
            return .failure(UpgradeFailure("\(error)"))
        }
        do throws(UpgradeFailure) {
            try stand(before: successor)
        } catch {
            return .failure(error)
        }
        // From here on the journal is not this host's any more, and neither are the partitions.
        journal?.close()
        member?.leave(within: grace)
        do throws(UpgradeFailure) {
            return .success(try give(connections, to: successor, recorder))
        } catch {
            StandardError.tell("\(error); this program starts once more", .error)
            do throws(UpgradeFailure) {
                let own = try prepare(HostStart.ownProgram, recorder)
                try stand(before: own)
                return .success(try give(connections, to: own, recorder))
            } catch {
                // What was accepted is in the journal. Nobody announces this end: whoever watches this host is to start it again.
                StandardError.tell("\(error); neither program can go on, and this host ends", .error)
                _exit(ExitCode.internalError.rawValue)
            }
        }
    }

    /// Lets a successor reduce the last batch, and make its instances.
    private func stand(before successor: Successor) throws(UpgradeFailure) {
        successor.link.send(.still)
        do throws(UpgradeLink.Silence) {
            _ = try successor.link.receive(.ready, within: Self.takeover)
        } catch {
            throw UpgradeFailure(successor, error, "before it was ready")
        }
    }

    /// Gives a successor the connections, and lets it read.
    private func give(
        _ connections: [HandedConnection], to successor: Successor, _ recorder: Int32?
    ) throws(UpgradeFailure) -> (process: pid_t, admission: any Admission) {
        let link = successor.link
        let actions: (Int32, Int32)
        let memory: Int32
        do throws(SystemFailure) {
            actions = try UpgradeLink.sockets(SOCK_STREAM)
            memory = try MemoryFile.make("connections", holding: connections.flatMap(\.bytes))
        } catch {
            _ = successor.end()
            throw UpgradeFailure("the connections cannot be handed over: \(error)")
        }
        defer {
            close(actions.1)
            close(memory)
        }
        link.send(.over, ["connections": Value(connections.count)], with: memory)
        for connection in connections {
            link.send(.connection, connection.value.objectValue ?? [:], with: connection.descriptor)
        }
        do throws(UpgradeLink.Silence) {
            _ = try link.receive(.running, within: Self.takeover)
        } catch {
            close(actions.0)
            throw UpgradeFailure(successor, error, "before it was running")
        }
        service?.follow(successor.process, flightRecorder: recorder ?? -1)
        link.send(.yours, with: actions.1)
        successor.release()
        // Whoever has asked meanwhile, or asks this process yet, means the host.
        stop.onAsk { [stop] in link.send(.stop, ["signal": stop.reason?.signal.map { Value($0) } ?? .null]) }
        return (successor.process, ForwardingAdmission(to: actions.0))
    }

    /// Creates the file of a flight recorder, for a supervisor.
    private static func flightRecorder() throws(UpgradeFailure) -> Int32 {
        do throws(SystemFailure) { return try FlightRecorder.makeFile() } catch {
            throw UpgradeFailure("the flight recorder of a new host cannot be made: \(error)")
        }
    }
}

// Asked for by clients of the control socket.
extension Upgrade: ControlUpgrading {
    func upgrade(to program: String?) async throws(ControlError) -> Value {
        if let objection { throw .refused(objection) }
        let result = try await reloader.exclusively({ [self] in perform(program) }) { result in
            guard let process = try? result.get().process else { return nil }
            return { trigger in
                switch trigger {
                // Its watch has seen that, and a client is told.
                case .change, .control: break
                case .signal, .action, .worker, .cluster: kill(process, SIGHUP)
                }
            }
        }
        do throws(UpgradeFailure) { return try result.get().value } catch {
            throw .failed("\(error); this host goes on")
        }
    }
}
