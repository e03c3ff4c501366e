// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// `gatehouse run --supervise`: a process with one thread and without plugins, which starts the host, waits for its end, and starts
/// it again unless the host announced its end. It waits for nothing but the host.
///
/// Streams, options and exit codes are those of the host. Sockets for writers and clients stay open here, so that both only have to
/// wait.
final class Supervisor {
    /// The parsed command line.
    private let options: RunOptions
    /// The rules of the configuration at the last start.
    private var rules = HostConfiguration().supervise
    /// The file of recorded crashes.
    private let ledger: CrashLedgerFile
    /// The sockets that the host listens at.
    private var sockets = SupervisedSockets(handed: HandedSockets())
    /// Receives the host's messages to the service manager; nil where the system has no socket for it.
    private let relay: NotifyRelay?
    /// What the supervisor before has left; nil for the first one, and once that is taken over.
    private var left: SupervisorState?
    /// A descriptor that yields the signals meant for the host.
    private let signals = gatehouse_supervisor_signals()
    /// The signal that asked for the end; nil before.
    private var end: Int32?
    /// How often the host was restarted.
    private var restarts = 0
    /// Writes messages without waiting for the reader.
    private var voice = SupervisorVoice(on: STDERR_FILENO)
    /// The recent times of deaths that no rule can stop.
    private var endless: [ContinuousClock.Instant] = []

    /// Creates a supervisor of the host that a command line describes.
    init(options: RunOptions) {
        self.options = options
        left = SupervisorState.take()
        relay = left.map { NotifyRelay(adopting: $0.relay) } ?? NotifyRelay()
        ledger = CrashLedgerFile(beside: options.file.folder)
    }

    /// Runs the host as often as necessary, and ends with its exit code.
    func run() -> Never {
        // The reader of standard error may be gone.
        _ = gatehouse_outlive(SIGPIPE)
        // A host that goes on for another one is a grandchild until that has ended.
        _ = gatehouse_adopt_orphans()
        if let left {
            sockets = SupervisedSockets(adopting: left.sockets)
            restarts = left.restarts
            tell(
                "version \(SDKIdentity.current.sdkVersion) supervises the host (process \(left.host)) from here on"
            )
        } else {
            sockets = SupervisedSockets(handed: HandedSockets.take())
            // For all hosts, each of which finds the same where this fails, and tells it.
            _ = WorkerLimits.claim()
            forgetPlaces()
        }
        var pause: RestartPause?
        while true {
            let configuration = options.file.readAgain().readable
            rules = configuration?.supervise ?? HostConfiguration().supervise
            voice.style = configuration?.log ?? LogConfiguration()
            if let failure = sockets.open(options, configuration) {
                tell(failure, .error)
                finish(ExitCode.usage.rawValue)
            }
            let (host, status) = follow(left.map(adopt) ?? startHost())
            let (signal, code) = (status & 0x7f, status >> 8 & 0xff)
            // A host without a flight recorder yet has run no plugin.
            if signal == 0, host.flightRecorder.process == nil || host.flightRecorder.announcedEnd == code {
                finish(code)
            }
            let death =
                signal == 0
                ? HostDeath(of: host, exitCode: code)
                : HostDeath(of: host, signal: signal, after: memoryKills)
            note(death)
            if end != nil || host.flightRecorder.isStopping {
                tell(
                    "the host (process \(host.process)) \(death.words) while shutting down; it is not restarted",
                    .error)
                finish(signal == 0 ? ExitCode.internalError.rawValue : 128 + signal)
            }
            if pause == nil { pause = RestartPause(first: rules.pause) }
            let seconds = pause?.after(running: host.uptime) ?? 1
            tell(
                "the host (process \(host.process)) \(death.words)\(times(of: death)); it is restarted"
                    + (seconds == 0 ? "" : " in \(seconds) s"), .error)
            relay?.tell("STATUS=the host \(death.words); it is restarted")
            wait(seconds)
            restarts += 1
        }
    }

    // MARK: - While the host runs

    /// How many processes the system had killed for lack of memory when the host was started.
    private var memoryKills: MemoryKills?

    /// Takes over the host of the supervisor before.
    private func adopt(_ left: SupervisorState) -> SupervisedHost {
        self.left = nil
        return SupervisedHost(
            adopting: left.host, flightRecorder: left.flightRecorder, restarts: left.restarts)
    }

    /// Lets the program that is installed by now supervise a host, in this process; returns where there is no other one.
    private func giveWay(to host: SupervisedHost) {
        guard HostStart.isReplaced, let relay else { return }
        let state = SupervisorState(
            host: host.process, flightRecorder: host.file, relay: relay.descriptor, restarts: restarts,
            sockets: sockets.descriptors)
        voice.finish()
        let failure = state.execute(HostStart.installedProgram)
        tell(
            "\(HostStart.installedProgram) cannot supervise the host: \(failure); this supervisor goes on",
            .error)
    }

    /// Forgets children that have ended, but for the host: the one before it, and what plugins have left.
    private func reap(allBut host: pid_t) {
        while true {
            let process = gatehouse_ended_child()
            guard process > 0, process != host else { return }
            var status: Int32 = 0
            _ = unsafe waitpid(process, &status, 0)
        }
    }

    /// Starts the host, or exits with the reason why it cannot be started.
    private func startHost() -> SupervisedHost {
        do throws(SystemFailure) {
            return try SupervisedHost(sockets, relay, restarts: restarts)
        } catch {
            tell("the host cannot be started: \(error)", .error)
            finish(ExitCode.internalError.rawValue)
        }
    }

    /// Waits until the host, or the last one that went on for it, has ended; relays signals and notifications, and ends a host that hangs.
    private func follow(_ first: SupervisedHost) -> (host: SupervisedHost, status: Int32) {
        memoryKills = MemoryKills.now
        var host = first
        var watch = HostWatch(host, limit: .seconds(rules.hang))
        while true {
            let pause = host.hang == nil ? watch?.pause ?? .seconds(5) : .seconds(1)
            self.pause(Int32(pause / .milliseconds(1)), for: [host.ending, relay?.descriptor ?? -1])
            var next = relay?.pass(from: host.process, keeping: &sockets)
            passSignals(to: host)
            if next == nil, let status = host.status() {
                // The last thing that it did may have been to name another one.
                next = relay?.pass(from: host.process, keeping: &sockets)
                if next == nil { return (host, status) }
            }
            if let next {
                tell("process \(next.process) goes on for the host (process \(host.process))")
                host = SupervisedHost(
                    adopting: next.process, flightRecorder: next.flightRecorder, restarts: restarts)
                watch = HostWatch(host, limit: .seconds(rules.hang))
                // The one before may not have heard it in time.
                if let end { kill(host.process, end) }
                giveWay(to: host)
                continue
            }
            reap(allBut: host.process)
            host.endUnheard()
            let isEnding = end != nil || host.flightRecorder.isStopping
            watch?.look(grace: isEnding ? options.grace : nil) { voice.tell($0, .warning) }
        }
    }

    /// Waits for a signal, for input at one of the descriptors, or for room to write waiting messages; at most the given number of
    /// milliseconds.
    private func pause(_ milliseconds: Int32, for descriptors: [Int32] = []) {
        var watched = ([signals] + descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if voice.isWaiting { watched.append(pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)) }
        _ = unsafe poll(&watched, nfds_t(watched.count), milliseconds)
        voice.flush()
    }

    /// Forwards arrived signals to the host, except those of a terminal, which it has received itself.
    private func passSignals(to host: SupervisedHost?) {
        var isFromTerminal = false
        while true {
            let number = unsafe gatehouse_supervisor_signal(signals, &isFromTerminal)
            guard number > 0 else { return }
            if number != SIGHUP { end = number }
            if let host, !isFromTerminal { kill(host.process, number) }
        }
    }

    /// Waits some seconds, unless a signal asks for the end.
    private func wait(_ seconds: Int) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            passSignals(to: nil)
            if let end {
                tell("signal \(end): the host is not restarted")
                finish(128 + end)
            }
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard left > 0 else { return }
            pause(Int32(left.rounded(.up)))
        }
    }

    // MARK: - Behind it

    /// How often hosts died lately in ways that no rule can stop; empty for the first time.
    private func times(of death: HostDeath) -> String {
        guard death.leadsToNothing else { return "" }
        let start = ContinuousClock.now - .seconds(rules.minutes * 60)
        endless.removeAll { $0 < start }
        endless.append(.now)
        return endless.count == 1
            ? "" : " (the last \(endless.count) such deaths were within \(rules.minutes) min)"
    }

    /// Enters a death in the ledger, and reports the consequences.
    private func note(_ death: HostDeath) {
        if let sentence = death.sentence { tell(sentence, .error) }
        ledger.change({ tell($0, .warning) }) { $0.note(death.crash, under: rules) }
    }

    /// Forgets lines that were skipped: they belong to one supervisor, and another may have other files under the same names.
    private func forgetPlaces() {
        ledger.change({ tell($0, .warning) }) { known in
            known.forgetPlaces()
            return []
        }
    }

    /// Ends this process.
    private func finish(_ code: Int32) -> Never {
        sockets.close()
        voice.finish()
        _exit(code)
    }

    /// Writes a message to standard error.
    private func tell(_ sentence: String, _ level: PluginLog.Level = .info) { voice.tell(sentence, level) }
}
