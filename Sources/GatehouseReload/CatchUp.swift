// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Lets the instances of a quarantined library reduce what they missed before the library is released.
///
/// A child reduces the journal up to a moment; later actions are collected, and reduced at the swap. Used on the thread of a
/// reload.
struct CatchUp {
    /// The running host.
    let core: HostStore
    /// Where the child finds journal and plugins.
    let source: HistorySource
    /// The plan that runs.
    let plan: HostPlan
    /// How long a few hundred actions may take.
    let limit: Duration

    /// The outcome of catching up.
    struct Outcome {
        /// The digest of the library.
        let digest: String
        /// The instances with their states, by id.
        let instances: [String: CaughtUp]
        /// The placeholders of the instances, which collect what they still miss.
        fileprivate let standing: [String: StandingInstance]
        /// How many actions the instances had missed when the child began.
        fileprivate let missed: [String: Int]

        /// The diagnostics about the instances once they run.
        var diagnostics: [Diagnostic] {
            instances.keys.sorted().compactMap { id in
                words(of: id).map { Diagnostic(.warning, instance: id, $0) }
            }
        }

        /// Describes an instance's catch-up.
        private func words(of id: String) -> String? {
            guard let caught = instances[id], let missed = missed[id] else { return nil }
            let late = standing[id]?.late?.count ?? 0
            let gone = missed - caught.count
            let count = caught.count + late
            return
                "has gone over \(count.grouped) \(count == 1 ? "action" : "actions") that it missed in quarantine; what they would have led to did not happen"
                + (gone > 0 ? ", and \(gone.grouped) more are gone from the journal" : "")
        }

        /// Stops collecting actions.
        func end(in core: HostStore) { CatchUp.end(standing, in: core) }
    }

    /// Brings the instances of a library up to the present.
    ///
    /// - Throws: why that is impossible; the instances stay as they were.
    func perform(for digest: String) throws(Diagnostics) -> Outcome {
        let (instances, standing) = try begin(digest)
        do throws(Diagnostics) {
            let caught = try ask(CatchUpRequest(source: source, instances: instances))
            return Outcome(
                digest: digest, instances: caught, standing: standing,
                missed: Dictionary(instances.map { ($0.id, $0.missed) }) { first, _ in first })
        } catch {
            Self.end(standing, in: core)
            throw error
        }
    }

    /// Stops collecting actions.
    private static func end(_ standing: [String: StandingInstance], in core: HostStore) {
        nonisolated(unsafe) let all = Array(standing.values)
        core.queue.enqueue { for one in unsafe all { one.stopCollecting() } }
    }

    /// Determines the child's part of the journal, has it written, and starts collecting later actions.
    private func begin(
        _ digest: String
    ) throws(Diagnostics) -> ([CatchUpRequest.Instance], [String: StandingInstance]) {
        guard let recorder = core.recorder else {
            throw Self.refusal(["the host keeps no journal, so it is unknown what was missed"])
        }
        do {
            return try core.committed(by: recorder) { [core] in try Self.collect(digest, in: core) }
        } catch let diagnostic as Diagnostic {
            throw Diagnostics([diagnostic])
        } catch let busy as DrainBusy {
            throw Self.refusal(["\(busy); ask again"])
        } catch {
            throw Self.refusal(["\(error)"])
        }
    }

    /// Starts collecting the actions that a library's instances miss; returns their current state; called in the drain.
    private static func collect(
        _ digest: String, in core: HostStore
    ) throws(Diagnostic) -> ([CatchUpRequest.Instance], [String: StandingInstance]) {
        var instances: [CatchUpRequest.Instance] = []
        var standing: [String: StandingInstance] = [:]
        for instance in core.turn?.instances ?? [] {
            guard let one = instance.standing, instance.planned.digest?.hex == digest else { continue }
            guard let open = one.value.open else {
                throw Diagnostic(
                    .error, instance: instance.id,
                    "its gate has moved more than \(Standing.mostSpans.grouped) times since it was quarantined, so it is unknown what it has missed; release it without --catch-up"
                )
            }
            instances.append(
                CatchUpRequest.Instance(
                    id: instance.id, state: StateCopy(of: instance)?.state, open: open,
                    missed: one.value.missed))
            standing[instance.id] = one
        }
        for one in standing.values { one.collect() }
        return (instances, standing)
    }

    /// Runs the request in a child.
    private func ask(_ request: CatchUpRequest) throws(Diagnostics) -> [String: CaughtUp] {
        let outcome: HostChild.Outcome
        do throws(ChildFailure) {
            let ids = Set(request.instances.map(\.id))
            outcome = try ChildTask.catchUp.outcome(
                of: request,
                access: source.access(for: plan.instances.filter { ids.contains($0.id) }, of: plan),
                within: HostChild.Limits(time: limit))
        } catch {
            throw Self.refusal(["\(error)"])
        }
        return try Self.instances(of: outcome)
    }

    /// Interprets the end and the output of a child.
    static func instances(of outcome: HostChild.Outcome) throws(Diagnostics) -> [String: CaughtUp] {
        let events = outcome.lines.suffix(2).compactMap { HistoryEvent(line: $0[...]) }
        if let death = outcome.end.text {
            var place = ""
            if case .step(let sequence, let type, let id)? = events.last {
                place =
                    " when \(id) reduced action \(sequence.grouped), \(Quotation.bare(type)), or soon after"
            }
            throw refusal(
                ["the child process that catches up \(death)\(place)"]
                    + Backtrace.lines(in: outcome.words, library: "lib"))
        }
        switch events.first {
        case .answer(let value)?:
            if let caughtUp = try? value.decode([String: CaughtUp].self),
                caughtUp.values.allSatisfy({ $0.count >= 0 })
            {
                return caughtUp
            }
        case .failure(let lines)?: throw refusal(lines)
        default: break
        }
        throw refusal(["the child process that catches up reported nothing"])
    }

    /// Creates the refusal to catch up, in lines.
    private static func refusal(_ lines: [String]) -> Diagnostics {
        Diagnostics(
            error: "catch-up: " + lines.joined(separator: "\n  ") + "; the quarantine stays in force")
    }
}
