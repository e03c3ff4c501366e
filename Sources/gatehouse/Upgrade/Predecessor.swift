// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseControl
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
internal import Glibc

/// The host that stands still so that this process goes on for it; see `Upgrade`.
///
/// Whatever fails before `running` ends this process, and the other one goes on.
final class Predecessor {
    /// The environment variable: a descriptor and the other process, separated by a colon.
    static let variable = "GATEHOUSE_PREDECESSOR"

    /// The connection to it.
    private let link: UpgradeLink
    /// The folder of its journal; empty for none.
    private let journal: String
    /// Who it is in a cluster; nil for nobody.
    private let member: String?
    /// The process of the supervisor that both have; nil without one.
    let supervisor: pid_t?
    /// Whether it has left everything to this process.
    private(set) var hasLetGo = false
    /// Brings what clients of its instances have under way; below 0 before `running`.
    private var actions: Int32 = -1

    /// How long it may take to stand still.
    private static let patience = Duration.seconds(600)

    /// Takes the connection that this process was given; nil for one that begins by itself. Called once, before any other thread exists.
    ///
    /// - Throws: when the other process speaks another form, after reporting it.
    init?() throws(Ended) {
        defer { _ = unsafe unsetenv(Self.variable) }
        let numbers = (SystemFile.variable(Self.variable) ?? "").split(separator: ":").compactMap {
            Int32($0)
        }
        guard numbers.count == 2, numbers[1] == getppid(), fcntl(numbers[0], F_SETFD, FD_CLOEXEC) == 0 else {
            return nil
        }
        let link = UpgradeLink(descriptor: numbers[0])
        self.link = link
        let hello = try Self.told { () throws(UpgradeLink.Silence) in
            try link.receive(.hello, within: .seconds(30))
        }
        guard hello.facts["form"]?.intValue == UpgradeLink.form,
            let journal = hello.facts["journal"]?.stringValue
        else {
            let version = hello.facts["version"]?.stringValue.map { ", version \(Quotation.bare($0))," } ?? ""
            throw Ended(
                .internalError,
                "the running host\(version) hands over in another form than this program knows, \(UpgradeLink.form); stop it, and start this one"
            )
        }
        self.journal = journal
        member = hello.facts["member"]?.stringValue
        supervisor = hello.facts["supervisor"]?.intValue.map { pid_t(truncatingIfNeeded: $0) }
    }

    /// Checks that this process would go on with the same journal.
    func check(journal folder: String) throws(Ended) {
        guard member == nil else {
            throw Ended(
                .configuration,
                "the running host is \(member ?? ""), and the configuration names a journal instead; stop the host to change that"
            )
        }
        guard let own = SystemFile.identity(folder), own == SystemFile.identity(journal) else {
            throw Ended(
                .configuration,
                "the running host has its journal in \(journal), and the configuration names \(folder); stop the host to move its journal"
            )
        }
    }

    /// Checks that this process would go on as the same member of a cluster.
    func check(member own: String) throws(Ended) {
        guard member == own else {
            throw Ended(
                .configuration,
                "the running host is \(member ?? "no member of a cluster"), and the configuration makes this one \(own); stop the host to change that"
            )
        }
    }

    /// Waits until the other host stands still, and all that it has done is in the journal.
    func awaitStandstill() throws(Ended) {
        link.send(.prepared, ["streams": true])
        _ = try Self.told { () throws(UpgradeLink.Silence) in try link.receive(.still, within: Self.patience)
        }
    }

    /// Takes over the journal and the connections, files and pipes: the other host has closed the journal, and left its cluster, when this
    /// returns.
    func takeOver() throws(Ended) -> [HandedConnection] {
        link.send(.ready)
        let link = link
        let over = try Self.told { () throws(UpgradeLink.Silence) in
            try link.receive(.over, within: Self.patience)
        }
        defer { if over.descriptor >= 0 { close(over.descriptor) } }
        let memory = (try? SystemFile.bytes(of: "/proc/self/fd/\(over.descriptor)", limit: .max)) ?? []
        var bytes = memory[...]
        return try (0..<(over.facts["connections"]?.intValue ?? 0)).map { _ throws(Ended) in
            let message = try Self.told { () throws(UpgradeLink.Silence) in
                try link.receive(.connection, within: .seconds(30))
            }
            guard let connection = HandedConnection(message.facts, &bytes, descriptor: message.descriptor)
            else {
                throw Ended(.internalError, "the running host hands over a connection that cannot be read")
            }
            _ = fcntl(message.descriptor, F_SETFD, FD_CLOEXEC)
            return connection
        }
    }

    /// Tells the other host that everything has started, and waits until it leaves all inputs and the place of its flight recorder to
    /// this one.
    func begin(_ crashes: CrashLog) throws(Ended) {
        link.send(.running)
        let yours = try Self.told { () throws(UpgradeLink.Silence) in
            try link.receive(.yours, within: .seconds(30))
        }
        crashes.takePlace()
        actions = yours.descriptor
        hasLetGo = true
    }

    /// Takes what clients of its instances have under way into the host that goes on, and ends that when the other process is asked to
    /// end.
    func follow(into host: Host, _ stop: StopRequest) {
        if actions >= 0 { ForwardedActions.take(from: actions, into: host) }
        EventLoop.perform { [link] in LateWords().hear(link, stop) }
    }

    /// Hears that the other process is asked to end, as long as it lives.
    @EventLoop
    private final class LateWords {
        /// Watches the connection; nil once the other process has ended.
        private var watch: DescriptorWatch?

        /// Asks for the end of this process when the other one is asked.
        func hear(_ link: UpgradeLink, _ stop: StopRequest) {
            // It fails only for lack of memory.
            watch = try? DescriptorWatch(link.descriptor, for: .readable) { [self] _ in
                do throws(UpgradeLink.Silence) {
                    let message = try link.receive(within: .seconds(1))
                    guard message.word == .stop else { return }
                    let signal = message.facts["signal"]?.intValue.flatMap(Int32.init(exactly:))
                    stop.ask(signal.map { .relayed($0) } ?? .control)
                } catch {
                    watch?.cancel()
                    watch = nil
                    link.close()
                }
            }
        }
    }

    /// Returns what the other host says, or ends this process, after reporting why.
    private static func told(
        _ body: () throws(UpgradeLink.Silence) -> UpgradeLink.Message
    ) throws(Ended) -> UpgradeLink.Message {
        do throws(UpgradeLink.Silence) {
            return try body()
        } catch {
            let words =
                switch error {
                case .ended: "has ended, or goes on by itself"
                case .late: "has said nothing for too long"
                case .unknown(let word): "says \(word), which this program does not expect"
                }
            throw Ended(.internalError, "the host that this process was to go on for \(words)")
        }
    }
}

/// The last component of a process that goes on for another one: everything has started, and the other one lets go.
struct Takeover: RunComponent {
    /// The other one.
    let predecessor: Predecessor
    /// The host that goes on.
    let host: Host
    /// Takes the place of the other one's flight recorder.
    let crashes: CrashLog
    /// Asks the run to end.
    let stop: StopRequest

    /// Ends with the supervisor, as a host does that it has started itself, once the process before is not the parent any more.
    @EventLoop
    private static func stopWithSupervisor(_ supervisor: pid_t, once parent: pid_t, _ stop: StopRequest) {
        guard getppid() != parent else {
            _ = LoopTimer(after: .milliseconds(100)) { stopWithSupervisor(supervisor, once: parent, stop) }
            return
        }
        gatehouse_stop_with_parent()
        // It may have ended before that.
        if getppid() != supervisor { stop.ask(.signal(SIGTERM)) }
    }

    func ready() throws(Ended) {
        try predecessor.begin(crashes)
        predecessor.follow(into: host, stop)
        guard let supervisor = predecessor.supervisor else { return }
        let parent = getppid()
        EventLoop.perform { [stop] in Self.stopWithSupervisor(supervisor, once: parent, stop) }
    }
}
