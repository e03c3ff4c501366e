// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
internal import Synchronization

/// The instances that share the processes of one worker, one process after the other; often there is one instance alone.
///
/// Its links talk to the sessions of their instances, each for itself. What concerns a process as a whole is decided here: who is in it,
/// and whose doing its end was.
final class WorkerGroup: Sendable {
    /// What the lock guards.
    struct Content {
        /// The links, in the order in which their instances are made; empty when no process will be started any more.
        var links: [WorkerLink] = []
        /// Whose instance the process is making, and since when; nil while it makes none.
        var making: (link: WorkerLink, since: ContinuousClock.Instant)?
        /// The deaths of which nobody knows whose doing they were.
        var unexplained = DeathCount()
        /// Whether processes are started.
        var isLaunched = false
        /// Another worker for the same instances.
        var successor: WorkerGroup?
        /// Those that have their link of that.
        var succeeded: Set<String> = []
    }

    /// The name by which entries share it; nil for that of one instance alone.
    let name: String?
    /// What follows from deaths.
    let rules: SuperviseConfiguration
    /// How long it may take to make an instance.
    let patience: Duration
    /// The ids of the instances that were there at the beginning.
    private let ids: [String]
    /// The sockets at which one of them listens.
    private let listeners: @Sendable (String) -> GrantedListeners
    /// Starts a process for some of them.
    private let makeLife: @Sendable ([WorkerLink]) throws -> WorkerLife
    /// Ends the process that runs.
    private let stopping = WakePipe()
    /// What varies.
    let content = Mutex(Content())

    /// A worker that is not started, with a link for each instance.
    ///
    /// - Parameters:
    ///   - ids: the ids of the instances, in the order in which they are to be made.
    ///   - patience: how long it may take to make one, and to take over its state.
    ///   - rules: what follows from deaths.
    ///   - listeners: the sockets at which one of them listens; asked for once for each.
    ///   - life: starts a process for some of the instances; called on a thread of the worker's own, and again after each death.
    init(
        _ ids: [String], named name: String? = nil, patience: Duration, rules: SuperviseConfiguration,
        listeners: @escaping @Sendable (String) -> GrantedListeners = { _ in GrantedListeners() },
        life: @escaping @Sendable ([WorkerLink]) throws -> WorkerLife
    ) {
        self.ids = ids
        self.name = name
        self.patience = patience
        self.rules = rules
        self.listeners = listeners
        makeLife = life
        content.withLock { [self] in $0.links = ids.map { WorkerLink($0, in: self, listeners: listeners($0)) }
        }
    }

    /// The links to the instances.
    var links: [WorkerLink] { content.withLock { $0.links } }

    /// A link to the same instance in another worker, which all instances of this one share; each may be asked for once in turn.
    ///
    /// It has the same members, whatever has become of them here.
    func successor(of id: String) -> WorkerLink? {
        let next = content.withLock { content in
            if let next = content.successor, content.succeeded.insert(id).inserted { return next }
            let next = WorkerGroup(
                ids, named: name, patience: patience, rules: rules, listeners: listeners, life: makeLife)
            (content.successor, content.succeeded) = (next, [id])
            return next
        }
        return next.links.first { $0.id == id }
    }

    /// Starts it, and returns before it is ready; does nothing the second time.
    func launch() {
        let isFirst = content.withLock { content in
            defer { content.isLaunched = true }
            return !content.isLaunched
        }
        if isFirst { BackgroundThread.perform { [self] in live() } }
    }

    /// Takes note that a link has ended: the last one ends the process.
    func leave() {
        guard links.allSatisfy(\.isOut) else { return }
        // Nobody else lets them go where no process is started.
        content.withLock { if !$0.isLaunched { $0.links = [] } }
        stopping.wake()
    }

    /// How much longer one waits whose instance is not there in time, because others are made first; nil for no longer.
    ///
    /// Another one that takes too long itself is given up, and the rest begins without it.
    func timeLeft(for link: WorkerLink) -> Duration? {
        guard let making = content.withLock({ $0.making }) else { return nil }
        let left = patience - making.since.duration(to: .now)
        guard left <= .zero else { return left }
        guard making.link !== link else { return nil }
        stopping.wake { making.link.object("did not return within \(patience.inSeconds)") }
        return patience
    }

    /// Whose doing it is that a link hears nothing: while another instance is made, no session runs.
    func culprit(forSilenceOf link: WorkerLink) -> WorkerLink { content.withLock { $0.making?.link } ?? link }

    // MARK: - The processes

    /// Runs one process after the other.
    private func live() {
        while true {
            stopping.clear()
            // Whoever ends after this look wakes it again.
            let members = links.filter { !$0.isOut }
            for link in links where link.isOut { link.listeners.giveBack() }
            guard !members.isEmpty else { break }
            for link in members {
                for failure in link.listeners.renew() { link.report(failure.sentence) }
            }
            let life: WorkerLife
            do {
                life = try makeLife(members)
            } catch {
                for link in members { link.giveUpBeginning("its worker cannot be started: \(error)") }
                break
            }
            settle(run(life, members), life, members)
        }
        for link in links { link.listeners.giveBack() }
        content.withLock { ($0.links, $0.making) = ([], nil) }
    }

    /// Follows a process to its end.
    private func run(_ life: WorkerLife, _ members: [WorkerLink]) -> HostChild.Outcome {
        let connections = zip(members, life.shares).map { WorkerConnection($0, $1, of: life) }
        var words = ""
        let outcome = life.child.follow(
            HostChild.Limits(time: .seconds(WorkerLink.always), isRenewed: false), stop: stopping.descriptor,
            onWords: { text in
                // What it says of its death is told with that.
                guard !life.flightRecorder.isDying else { return }
                words += text
                tell(linesOf: &words, members)
            }
        ) { line in
            if line == WorkerStep.mapped { for connection in connections { connection.attach() } }
            note(WorkerStep(line), members)
            return true
        }
        for link in members { link.noteEnd() }
        for connection in connections { connection.close() }
        return outcome
    }

    /// Takes note of a line in which a process tells that it makes an instance, or has made the last one; nil for another line.
    private func note(_ step: WorkerStep?, _ members: [WorkerLink]) {
        switch step {
        case .making(let index)? where members.indices.contains(index):
            content.withLock { $0.making = (members[index], .now) }
        case .made?: content.withLock { $0.making = nil }
        case .making?, nil: break
        }
    }

    /// Tells people the lines that a process has written whole, and what is too long for one; the rest stays.
    private func tell(linesOf words: inout String, _ members: [WorkerLink]) {
        while let end = words.firstIndex(of: "\n") {
            if end > words.startIndex { tell(line: String(words[..<end]), members) }
            words.removeSubrange(...end)
        }
        guard words.utf8.count > Self.longestLine else { return }
        tell(line: words, members)
        words = ""
    }

    /// Tells people a line that a process has written, in the name of the worker where several instances may have.
    private func tell(line: String, _ members: [WorkerLink]) {
        let writer = members.count == 1 ? members[0].id : "worker \(name ?? "")"
        members.lazy.compactMap { $0.surroundings.withLock { $0 } }.first?
            .report(.workerOutput(instance: writer, line: line))
    }

    /// So many bytes without a line break are told as a line.
    private static let longestLine = 4_096
}
