// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
public import GatehouseSDK
public import GatehouseSupport

/// Looks back on behalf of clients of a running host, without a turn in its drain.
///
/// Actions are read on a thread of their own; a state is made by a child of the host, so that a reducer which traps or hangs there
/// costs nothing but the answer. One request of each kind is done at a time.
@EventLoop
public final class PastDesk: ControlPast {
    /// So long may a child take for a state.
    private nonisolated static let patience = Duration.seconds(30)
    /// So much memory may it take, in bytes.
    private nonisolated static let mostMemory = 1 << 30

    /// Where the journal is, and the plugins that understand it.
    private let source: HistorySource
    /// Those who look for actions.
    private let reading = PastTurns()
    /// Those who look for states.
    private let making = PastTurns()

    /// A desk in front of a journal.
    public nonisolated init(_ source: HistorySource) { self.source = source }

    public func history(_ query: HistoryQuery) async throws(ControlError) -> Value {
        try await reading.take { [folder = source.journal] () throws(ControlError) in
            do throws(JournalFailure) {
                return try HistoryPage(query, of: try History(folder: folder)).value
            } catch {
                throw .refused("\(error)")
            }
        }
    }

    public func state(_ query: PastStateQuery) async throws(ControlError) -> Value {
        try await making.take { [source] () throws(ControlError) in
            try Self.state(PastStateJob(source: source, query: query))
        }
    }

    /// Lets a child make a state.
    private nonisolated static func state(_ job: PastStateJob) throws(ControlError) -> Value {
        let outcome: HostChild.Outcome
        do throws(ChildFailure) {
            outcome = try HostChild(
                "/proc/self/exe", .lookBack, job: job.bytes, images: [], tracesCalls: false
            ).follow(
                HostChild.Limits(time: patience, isRenewed: false, memory: mostMemory), stop: nil
            ) { HistoryMessage(line: $0) != nil }
        } catch {
            throw .refused("\(error)")
        }
        return try answer(in: outcome)
    }

    /// What a child's end and its words mean.
    nonisolated static func answer(in outcome: HostChild.Outcome) throws(ControlError) -> Value {
        if let death = outcome.end.text {
            throw .refused(
                "the child process that goes over the journal \(death); run gatehouse state --at to see more of it"
            )
        }
        switch outcome.lines.first.flatMap({ HistoryMessage(line: $0[...]) }) {
        case .answer(let value)?: return value
        case .failure(let lines)?: throw .refused(lines.joined(separator: "\n  "))
        default: throw .refused("the child process that goes over the journal told nothing")
        }
    }
}

/// Lets those who ask for something have their turns, one at a time.
@EventLoop
private final class PastTurns {
    /// So many may wait.
    private static let most = 16

    /// Whether somebody has its turn.
    private var isTaken = false
    /// Those who wait for theirs, in order.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Nobody has asked.
    nonisolated init() {}

    /// Does something on a thread of its own when it is its turn.
    func take<Success: Sendable>(
        _ body: @escaping @Sendable () throws(ControlError) -> Success
    ) async throws(ControlError) -> Success {
        if isTaken {
            guard waiting.count < Self.most else {
                throw .exhausted("\(Self.most) requests wait for a look at the journal; ask again")
            }
            // Whoever resumes this leaves the turn to it.
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        let result = await BackgroundThread.value { Result { () throws(ControlError) in try body() } }
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        return try result.get()
    }
}
