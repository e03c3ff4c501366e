// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Reports the host's status to a service manager that asked for it: systemd, for a unit of `Type=notify`.
///
/// Callable from any thread. A message that the manager does not accept is dropped, and reported once, because a
/// host works without.
package final class NotifySocket: Sendable {
    /// A message to the manager; several fit into one datagram.
    package struct Message: Equatable, Sendable {
        /// The line of the protocol, or several.
        package let line: String

        /// The host has started.
        package static let ready = Message(line: "READY=1")
        /// It is ending.
        package static let stopping = Message(line: "STOPPING=1")
        /// The service is alive: the watchdog's sign of life.
        package static let alive = Message(line: "WATCHDOG=1")

        /// It starts or ends later than usual: the manager's time limit begins again with half a minute.
        package static let later = Message(line: "EXTEND_TIMEOUT_USEC=30000000")

        /// It reloads its configuration; `ready` follows when that is done.
        package static var reloading: Message {
            Message(line: "RELOADING=1\nMONOTONIC_USEC=\(NotifySocket.microseconds)")
        }

        /// Its activity, in one line for `systemctl status`.
        package static func status(_ text: String) -> Message {
            Message(line: "STATUS=\(Quotation.bare(text))")
        }

        /// The sockets of this name need no longer be kept.
        package static func forget(name: String) -> Message {
            Message(line: "FDSTOREREMOVE=1\nFDNAME=\(name)")
        }
    }

    /// How long a message may wait for the manager, in milliseconds.
    private static let patience: Int32 = 1_000

    /// The receiver.
    private let manager: ServiceManager
    /// The watchdog's interval; nil without a watchdog.
    package let watchdog: Duration?
    /// Called, once, with the reason why the manager cannot be reached.
    private let report: @Sendable (String) -> Void
    /// Whether the report was already made.
    private let isTold = Atomic(false)
    /// Whether the manager was told that the host is stopping.
    private let isStopping = Atomic(false)

    /// Opens the socket that the environment names; nil where there is none.
    ///
    /// - Parameters:
    ///   - environment: returns a variable, nil where there is none.
    ///   - process: the process that the watchdog must be meant for.
    ///   - report: takes a sentence, from any thread.
    package init?(
        environment: (String) -> String?, process: Int32 = getpid(),
        report: @escaping @Sendable (String) -> Void
    ) {
        guard let address = environment("NOTIFY_SOCKET"), !address.isEmpty else { return nil }
        manager = ServiceManager(address)
        self.report = report
        let isMeant = environment("WATCHDOG_PID").map { $0 == "\(process)" } ?? true
        watchdog =
            isMeant
            ? environment("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0) : nil }
            : nil
    }

    /// Opens the socket that the environment of this process names; nil where there is none.
    ///
    /// - Parameter report: takes a sentence, from any thread.
    package convenience init?(report: @escaping @Sendable (String) -> Void) {
        self.init(environment: SystemFile.variable, report: report)
    }

    /// Sends messages to the manager, in order.
    ///
    /// A `stopping` alone is sent only once, however many callers send it.
    package func tell(_ messages: Message...) {
        if messages == [.stopping], isStopping.exchange(true, ordering: .relaxed) { return }
        send(messages, patience: Self.patience)
    }

    /// Asks the manager to keep a copy of a descriptor, and to pass it to the host that it starts after a crash.
    ///
    /// - Parameter name: of plain letters, digits and hyphens.
    package func keep(_ descriptor: Int32, as name: String) {
        send("FDSTORE=1\nFDNAME=\(name)", descriptor, patience: Self.patience)
    }

    /// Lets the manager watch another process instead of this one.
    ///
    /// - Parameter flightRecorder: the file of that process's flight recorder, for a supervisor; below 0 for none.
    package func follow(_ process: Int32, flightRecorder: Int32) {
        let file = flightRecorder >= 0 ? "\nFDSTORE=1\nFDNAME=\(Self.flightRecorderName)" : ""
        send("MAINPID=\(process)" + file, flightRecorder, patience: Self.patience)
    }

    /// The name of the flight recorder in a message to a supervisor.
    package static let flightRecorderName = "gatehouse-flight-recorder"

    /// Reports when the host is asked to end.
    package func follow(_ stop: StopRequest) {
        // The loop knows each descriptor once, and other code may watch that one too.
        let own = fcntl(stop.descriptor, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return }
        EventLoop.perform { [self] in
            // This fails only for lack of memory; the manager then learns it from the end itself.
            _ = try? DescriptorWatch(own, for: [.readable, .once]) { _ in self.tell(.stopping) }
        }
    }

    /// Reports from now on, at half the watchdog's interval, that the loop is running.
    package func watch() {
        guard let watchdog else { return }
        EventLoop.perform { self.watch(every: watchdog / 2) }
    }

    // MARK: - Implementation details

    /// Reports it, and again after a pause.
    @EventLoop
    private func watch(every pause: Duration) {
        // The loop must not block.
        send([.alive], patience: 0)
        _ = LoopTimer(after: pause) { [self] in watch(every: pause) }
    }

    /// Sends the messages in one datagram.
    private func send(_ messages: [Message], patience: Int32) {
        send(messages.map(\.line).joined(separator: "\n"), patience: patience)
    }

    /// Sends one datagram, with a copy of a descriptor unless that is below 0.
    private func send(_ text: String, _ descriptor: Int32 = -1, patience: Int32) {
        let result = manager.send(Array(text.utf8), descriptor, patience: patience)
        // A lost sign of life is followed by another one in time.
        guard result < 0, !(result == -EAGAIN && patience == 0),
            !isTold.exchange(true, ordering: .relaxed)
        else { return }
        report(
            "the service manager cannot be told of the host: NOTIFY_SOCKET=\(Quotation.bare(manager.address)): \(SystemReason.text(of: -result))"
        )
    }

    /// The time since the machine was started, in microseconds of the clock that systemd compares.
    private static var microseconds: Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
}
