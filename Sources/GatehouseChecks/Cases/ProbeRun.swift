// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseRuntime
internal import GatehouseSDK
package import GatehouseSupport

/// Runs one plugin on its own host, line by line as a test requests, and reports its reactions.
///
/// The host is the same as that of a case: its clock stands still until a line advances it, its data goes to a folder that is removed,
/// and a line is finished when all effects it has led to have ended, sleep, or continue in the background. Used from one thread.
package final class ProbeRun {
    /// The default starting time of a host, in seconds since 1970-01-01 00:00 UTC: not 0, which tells a plugin in C that it has no
    /// clock.
    package static let firstMoment = 1_000_000_000.0

    /// The name of the input in reports.
    private static let input = "input"

    /// The host, once it is made.
    private let stage: CaseHost
    /// The only instance of the plan.
    private let planned: PlannedInstance
    /// How long the effects of one line may take.
    private let limit: Duration
    /// Detects a line that does not return.
    private let watch: CaseWatch<ProbeResult>
    /// The instance's data folder.
    private let folder: ScratchFolder
    /// The last reported state; nil before the first.
    private var state: Value?
    /// The end of the message about a line that does not return.
    private static let stuck = "had not returned; it runs or waits forever"

    /// Makes the host and starts the plugin.
    ///
    /// - Parameters:
    ///   - plan: the plan of one instance; best rehearsed.
    ///   - state: the state that an earlier version left; nil for none.
    ///   - clock: the time, in seconds since 1970-01-01 00:00 UTC.
    ///   - limit: how long the effects of one line may take.
    ///   - onStuck: called on the event loop with the result of a line that does not return; it has no other result.
    /// - Throws: why the instance cannot be made.
    package init(
        _ plan: HostPlan, restoring state: VersionedState? = nil, clock: Double = ProbeRun.firstMoment,
        limit: Duration, images: ImageCache, onStuck: @escaping @Sendable (ProbeResult) -> Void
    ) throws(Diagnostics) {
        if let failure = plan.failure { throw failure }
        guard let planned = plan.instances.first else { throw Diagnostics(plan.diagnostics.all) }
        let folder: ScratchFolder
        do {
            folder = try ScratchFolder()
        } catch {
            throw Diagnostics([Diagnostic(.error, "\(error)")])
        }
        let watch = CaseWatch(limit: limit, onStuck: onStuck)
        watch.begin { [limit, id = planned.id] in
            ProbeResult(did: "start", error: "after \(limit.inSeconds) \(id) \(Self.stuck)", isLast: true)
        }
        defer { watch.end() }
        stage = try CaseHost(
            plan, restoring: state.map { planned.saved($0, in: plan) }, readFrom: Self.input, clock: clock,
            images: images, data: folder.path)
        self.planned = planned
        self.limit = limit
        self.watch = watch
        self.folder = folder
    }

    /// Returns the result of starting the plugin; called once, before the first line.
    package func start() -> ProbeResult { perform("start") { _ throws(CaseHost.Overdue) in } }

    /// Carries out a line of input; nil for a blank one.
    package func take(_ line: InputLine) -> ProbeResult? {
        let read: ProbeLine?
        do throws(ProbeLine.Mistake) {
            read = try ProbeLine(unsafe Array(line.bytes))
        } catch {
            return ProbeResult(did: "nothing", error: "\(line.number):\(error.column): \(error.sentence)")
        }
        let number = line.number
        switch read {
        case nil: return nil
        case .send(let action): return send(action, line: number)
        case .advance(let duration):
            return perform("advance") { [stage] (end) throws(CaseHost.Overdue) in
                try stage.settle(by: end)
                try stage.advance(by: duration, within: end)
            }
        case .gate(let position):
            let type = position == .active ? HostActions.openGate : HostActions.closeGate
            return perform("gate") { [stage, planned] _ throws(CaseHost.Overdue) in
                stage.host.dispatch(
                    AnyAction(type, payload: .string(planned.id)),
                    from: ActionSource(file: Self.input, function: "", line: UInt(number), info: nil))
            }
        }
    }

    /// Returns the result for a line that is too long to read.
    package func tooLong(line: Int, bytes: Int) -> ProbeResult {
        let limit = LineReader.defaultMaximumLineBytes
        return ProbeResult(
            did: "nothing",
            error: "\(line):1: \(ActionRejection.Reason.tooLong(bytes: bytes, limit: limit))")
    }

    /// Ends the run as an operator does.
    package func stop() -> ProbeResult {
        perform("stop") { [stage] (end) throws(CaseHost.Overdue) in try stage.stop(by: end) }
    }

    // MARK: - Implementation details

    /// Sends an action under its local or global name.
    private func send(_ action: LocatedAction, line: Int) -> ProbeResult {
        var members: Members = ["type": .string(planned.names.global(ofHeard: action.type))]
        members["payload"] = action.payload
        if action.error { members["error"] = true }
        members["meta"] = action.meta
        let value = Value.object(members)
        var isHeard = true
        let result = perform("action") { [stage] _ throws(CaseHost.Overdue) in
            if let sent = stage.send(value, line: line, column: 1) { isHeard = !sent.listeners.isEmpty }
        }
        guard !isHeard else { return result }
        let heard = planned.manifest.consumes
        let advice =
            NearMiss.suggestion(for: action.type, among: heard).map { "did you mean \(Quotation.of($0))?" }
            ?? "it consumes \(heard.isEmpty ? "nothing" : heard.joined(separator: ", "))"
        return ProbeResult(
            did: "action",
            error:
                "\(line):1: expected an action that \(planned.id) hears, found \(Quotation.of(action.type)); \(advice)"
        )
    }

    /// Performs an operation, waits for its consequences, and returns all of them.
    private func perform(
        _ did: String, _ body: (ContinuousClock.Instant) throws(CaseHost.Overdue) -> Void
    ) -> ProbeResult {
        watch.begin { [limit, id = planned.id] in
            ProbeResult(did: did, error: "after \(limit.inSeconds) \(id) \(Self.stuck)", isLast: true)
        }
        defer { watch.end() }
        let end = ContinuousClock.now + limit
        do throws(CaseHost.Overdue) {
            try body(end)
            try stage.settle(by: end)
        } catch {
            return result(did, overdue: sentence(error))
        }
        return result(did)
    }

    /// Describes the events that did not come in time.
    private func sentence(_ overdue: CaseHost.Overdue) -> String {
        switch overdue {
        case .effects(let work):
            let count = work.reduce(0) { $0 + $1.count }
            return
                "after \(limit.inSeconds) \(Counted.text(count, "effect")) had not ended; let the plugin end it, or allow more time with --limit"
        case .clock(let time):
            return
                "after \(limit.inSeconds) the clock had only reached \(time.inSeconds) from the start of the run, because so much happens on the way; advance it by less, or allow more time with --limit"
        }
    }

    /// Returns all activity since the last result.
    private func result(_ did: String, overdue: String? = nil) -> ProbeResult {
        var members = Members()
        let (passed, emitted) = (stage.record.takeAll(\.passed), stage.record.takeAll(\.emitted))
        if planned.intercepts, did == "action" { members["passed"] = .array(passed.map(wire)) }
        if !emitted.isEmpty { members["emitted"] = .array(emitted.map(wire)) }
        let instance = stage.host.turn { written(in: $0) }
        var error = overdue
        switch instance.state {
        case .success(let found):
            if found != state { members["state"] = found ?? .null }
            state = found
        case .failure(let failure):
            error = error ?? "the state cannot be written as JSON: \(failure)"
        }
        let log = stage.record.takeAll(\.log).compactMap { report -> Value? in
            guard case .log(let level, _, let line) = report else { return nil }
            return .string("\(level): \(line)")
        }
        if !log.isEmpty { members["log"] = .array(log) }
        let reports = stage.record.takeAll(\.reports)
        if !reports.isEmpty { members["reports"] = .array(reports.map { .string("\($0)") }) }
        if instance.running > 0 { members["running"] = Value(instance.running) }
        return ProbeResult(
            did: did, members, error: error, isBad: reports.contains(where: \.isBad), isLast: overdue != nil)
    }

    /// Returns the instance's state, nil for a plugin without, and how many of its effects run or sleep; called in the drain.
    private func written(in turn: Turn) -> (state: Result<Value?, CodingFailure>, running: Int) {
        guard let instance = turn.instances.first else { return (.success(nil), 0) }
        let state = Result { () throws(CodingFailure) in
            instance.slice.isEmpty ? nil : try instance.slice.value()
        }
        return (state, instance.activity.running)
    }

    /// Returns an action in its wire form, under the local name where it has one.
    private func wire(_ action: EmittedAction) -> Value {
        let prefix = planned.names.defaultPrefix
        let type = action.type.hasPrefix(prefix) ? String(action.type.dropFirst(prefix.count)) : action.type
        var members: Members = ["type": .string(type)]
        members["payload"] = action.payload
        if action.isError { members["error"] = true }
        members["meta"] = action.meta
        return .object(members)
    }
}

extension LiftedNames {
    /// Returns the global name of a type that an author writes locally or globally.
    func global(ofHeard type: String) -> String {
        let own = defaultPrefix + type
        return local(of: own) == type ? own : type
    }
}

extension PlannedInstance {
    /// Returns the saved state of a run with an earlier version of the plugin that had this state.
    fileprivate func saved(_ state: VersionedState, in plan: HostPlan) -> SavedState {
        let plain = plan.configuration.state
        return SavedState(
            configured: plain, plain: plain, kept: [:],
            entries: [
                id: SavedState.Entry(
                    plugin: manifest.id, digest: nil, pointer: entry.slice,
                    state: state, gate: "", position: nil,
                    standing: nil)
            ])
    }
}
