// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
internal import GatehouseJournal
internal import GatehouseManifest
package import GatehouseReload
package import GatehouseSDK
package import GatehouseSupport

/// Looks into the past for clients of a running host, without a turn in its drain.
///
/// Actions are read on a separate thread; a state is made by a child of the host, so a reducer that traps or hangs there costs
/// only the answer. One request of each kind runs at a time.
@EventLoop
package final class HistoryService: ControlPast {
    /// How long a child may take for a state.
    private nonisolated static let patience = Duration.seconds(30)
    /// How much memory a child may use, in bytes.
    private nonisolated static let mostMemory = 1 << 30

    /// The journal, and the plugins that understand it.
    private let source: HistorySource
    /// The requests for actions.
    private let reading = PastTurns()
    /// The requests for states.
    private let making = PastTurns()

    /// Creates a service for a journal.
    package nonisolated init(_ source: HistorySource) { self.source = source }

    package func history(_ query: HistoryQuery) async throws(ControlError) -> Value {
        try await reading.take { [folder = source.journal] () throws(ControlError) in
            do throws(JournalFailure) {
                return try HistoryPage(query, of: try History(folder: folder)).value
            } catch {
                throw .refused("\(error)")
            }
        }
    }

    package func generations(of instance: String, limit: Int) async throws(ControlError) -> Value {
        try await reading.take { [folder = source.journal] () throws(ControlError) in
            do throws(JournalFailure) {
                let found = try History(folder: folder).reader.generations()
                let steps = InstanceGenerations(of: instance, in: found.records).steps
                return [
                    "count": Value(steps.count),
                    "generations": .array(steps.prefix(limit).map(\.value)),
                    "damage": .array(found.damaged.map { .string("\($0)") }),
                ]
            } catch {
                throw .refused("\(error)")
            }
        }
    }

    package func state(_ query: PastStateQuery) async throws(ControlError) -> Value {
        try await making.take { [source] () throws(ControlError) in
            try Self.state(PastStateRequest(source: source, query: query))
        }
    }

    /// Makes a state in a child.
    private nonisolated static func state(_ request: PastStateRequest) throws(ControlError) -> Value {
        let outcome: HostChild.Outcome
        do throws(ChildFailure) {
            outcome = try ChildTask.lookBack.outcome(
                of: request, tracesCalls: false,
                within: HostChild.Limits(time: patience, isRenewed: false, memory: mostMemory))
        } catch {
            throw .refused("\(error)")
        }
        return try answer(in: outcome)
    }

    /// Interprets the end and the output of a child.
    package nonisolated static func answer(in outcome: HostChild.Outcome) throws(ControlError) -> Value {
        if let death = outcome.end.text {
            throw .refused(
                "the child process that replays the journal \(death); run gatehouse state --at for details"
            )
        }
        switch outcome.lines.first.flatMap({ HistoryEvent(line: $0[...]) }) {
        case .answer(let value)?: return value
        case .failure(let lines)?: throw .refused(lines.joined(separator: "\n  "))
        default: throw .refused("the child process that replays the journal reported nothing")
        }
    }
}

/// Serializes requests, one at a time.
@EventLoop
private final class PastTurns {
    /// The most waiting requests.
    private static let most = 16

    /// Whether a request has its turn.
    private var isTaken = false
    /// The waiting requests, in order.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Creates turns without requests.
    nonisolated init() {}

    /// Runs a closure on a separate thread when its turn comes.
    func take<Success: Sendable>(
        _ body: @escaping @Sendable () throws(ControlError) -> Success
    ) async throws(ControlError) -> Success {
        if isTaken {
            guard waiting.count < Self.most else {
                throw .exhausted("\(Self.most) requests for the past are waiting already; ask again")
            }
            // The resuming request passes its turn on.
            await withCheckedContinuation { waiting.append($0) }
        }
        isTaken = true
        let result = await BackgroundThread.value { Result { () throws(ControlError) in try body() } }
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        return try result.get()
    }
}
