// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSupport
internal import Glibc

/// One life of a host under a supervisor.
final class SupervisedHost {
    /// The process id.
    let process: pid_t
    /// A descriptor that is readable when the process has ended; -1 where the system has none.
    let ending: Int32
    /// The file of the flight recorder.
    let file: Int32
    /// The flight recorder that the host writes.
    let flightRecorder: FlightRecorder
    /// How it hung, if it was ended for that; nil otherwise.
    private(set) var hang: Hang?
    /// When it was started, or has taken over.
    private let start = ContinuousClock.now

    /// When a hanging host that was asked where it hangs is killed.
    private var deadline: ContinuousClock.Instant?

    /// How a host hung.
    struct Hang {
        /// Who kept it from continuing; nil if unknown.
        let account: FlightRecord?
    }

    /// How long a hanging host may take to report where.
    private static let lastWords = Duration.seconds(10)

    /// Starts the host.
    ///
    /// - Parameter restarts: how often it was started before.
    /// - Throws: the call that failed.
    init(
        _ sockets: SupervisedSockets, _ relay: NotifyRelay?, restarts: Int
    ) throws(SystemFailure) {
        file = try FlightRecorder.makeFile()
        flightRecorder = FlightRecorder(lookingAt: file)
        flightRecorder.restarts = restarts
        var start = HostStart(sockets: sockets.descriptors)
        start.others = [(SupervisorLink.variable, file, ":\(getpid())")]
        if let relay { start.environment["NOTIFY_SOCKET"] = relay.name }
        do throws(SystemFailure) {
            process = try start.start()
        } catch {
            close(file)
            throw error
        }
        ending = gatehouse_open_process(process)
    }

    /// Watches a host that another one, or a supervisor before this one, has started.
    ///
    /// - Parameters:
    ///   - process: its process id.
    ///   - file: the file of its flight recorder; belongs to this object.
    init(adopting process: pid_t, flightRecorder file: Int32, restarts: Int) {
        (self.process, self.file) = (process, file)
        flightRecorder = FlightRecorder(lookingAt: file)
        flightRecorder.restarts = restarts
        ending = gatehouse_open_process(process)
    }

    deinit {
        if ending >= 0 { close(ending) }
        close(file)
    }

    /// How long it has run.
    var uptime: Duration { start.duration(to: .now) }

    /// Its exit status from the system; nil while it runs, and as long as another host is its parent.
    func status() -> Int32? {
        var status: Int32 = 0
        return unsafe waitpid(process, &status, WNOHANG) == process ? status : nil
    }

    /// Ends it because it hangs in a call.
    ///
    /// - Parameter account: describes the call.
    func endHung(in call: RecordedCall, _ account: FlightRecord) {
        endHung(by: flightRecorder.activity(of: call, isOver: true) ?? account)
    }

    /// Ends it because it hangs: it may still report where, and `endUnheard` kills it when it does not end by itself.
    ///
    /// - Parameter account: who keeps it from continuing; nil if unknown.
    func endHung(by account: FlightRecord?) {
        guard hang == nil else { return }
        hang = Hang(account: account)
        deadline = .now + Self.lastWords
        kill(process, SIGABRT)
    }

    /// Whether a signal or a debugger has stopped it.
    var isStopped: Bool { ["T", "t"].contains(SystemFile.processStatus(process).first) }

    /// Kills it when it was asked where it hangs and has not ended in time.
    func endUnheard() {
        guard let deadline, .now >= deadline else { return }
        self.deadline = nil
        kill(process, SIGKILL)
    }
}
