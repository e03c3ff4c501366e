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
    /// The flight recorder that the host writes.
    let flightRecorder: FlightRecorder
    /// How it hung, if it was ended for that; nil otherwise.
    private(set) var hang: Hang?
    /// When it was started.
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
        let file = unsafe gatehouse_memfd_create("flight recorder")
        guard file >= 0, ftruncate(file, off_t(FlightRecorder.byteCount)) == 0 else { throw .last }
        defer { close(file) }
        flightRecorder = FlightRecorder(lookingAt: file)
        flightRecorder.restarts = restarts
        let handed = sockets.descriptors
        let arguments = CommandLine.arguments.filter { $0 != "--supervise" }
        var environment = SystemFile.environment
        if let relay {
            environment.removeAll { $0.hasPrefix("NOTIFY_SOCKET=") || $0.hasPrefix("WATCHDOG_PID=") }
            environment.append("NOTIFY_SOCKET=\(relay.name)")
        }
        environment.append(
            "\(SupervisorLink.variable)=\(3 + handed.count):\(getpid())")
        if !handed.isEmpty {
            environment.append("LISTEN_FDS=\(handed.count)")
            environment.append("LISTEN_FDNAMES=\(handed.map(\.name).joined(separator: ":"))")
        }
        let identifier = "LISTEN_PID="
        environment.append(identifier + "0000000000")
        let descriptors = handed.map(\.descriptor) + [file]
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var surroundings = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe surroundings.forEach { unsafe free($0) }
        }
        let place = unsafe surroundings[environment.count - 1].map { unsafe $0 + identifier.utf8.count }
        let started = unsafe gatehouse_start_supervised(
            Self.program, &words, &surroundings, place, descriptors, Int32(descriptors.count))
        guard started > 0 else { throw SystemFailure(code: -started) }
        process = started
        ending = gatehouse_open_process(started)
    }

    deinit { if ending >= 0 { close(ending) } }

    /// How long it has run.
    var uptime: Duration { start.duration(to: .now) }

    /// Its exit status from the system; nil while it runs.
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

    /// The path of this program; the system's own link where another file has replaced it.
    private static var program: String {
        let link = "/proc/self/exe"
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        let path = String(
            decoding: bytes.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let own = SystemFile.identity(link)
        return own != nil && own == SystemFile.identity(path) ? path : link
    }
}
