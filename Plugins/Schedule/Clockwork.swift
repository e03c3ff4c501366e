// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Ticks when a job is due, and emits the reducer's decisions.
///
/// It sleeps a minute at most, because a clock may be set meanwhile. A closed gate stops it; when the gate opens, it resumes
/// with the times missed meanwhile.
final class Clockwork: MiddlewareProtocol {
    /// The settings and the host's services.
    private let context: Schedule.Context
    /// The jobs, in the order of the settings.
    private let jobs: [Job]
    /// Keeps the waiting effect running.
    private let waiting: SupervisingMiddleware<AnyAction, AnyAction, Schedule.State, Schedule.Context>
    /// Starts the effect again, after the gate has opened; nil before the start.
    private var restart: (() -> Void)?

    /// Creates a clockwork that does not run before its start.
    init(_ context: Schedule.Context) {
        self.context = context
        let jobs = context.settings.all
        self.jobs = jobs
        waiting = SupervisingMiddleware(dependencies: context) { _, context in
            guard let clock = context.dependencies.clock, !jobs.isEmpty else { return .doNothing }
            return .run(token: "clockwork") { output in
                await Self.run(jobs.map(\.recurrence), by: clock, output)
            }.inBackground
        }
    }

    func start(state: GetState<Schedule.State>) -> IO<AnyAction> {
        if context.clock == nil, !jobs.isEmpty {
            context.health(
                .failing(
                    "it has no clock, so no job is done; grant it \"clock\" in \"lift\"/\"dependencies\""))
        }
        return IO { [self] output in
            waiting.start(state: state).run(output)
            restart = { [unowned self] in waiting.start(state: state).run(output) }
        }
    }

    func handle(
        action: AnyAction, from dispatcher: ActionSource, state: GetState<Schedule.State>
    ) -> IO<AnyAction> {
        guard action.type == Schedule.tick else { return .pure() }
        return IO { [self] output in
            // After the reducer, so this is its decision about this very action.
            for due in state().due { emit(due, to: output) }
        }
    }

    func gateChanged(to gate: GateState) {
        if gate == .active { restart?() }
    }

    func cancelEffects() { waiting.cancelEffects() }

    func stopEffects() {
        restart = nil
        waiting.stopEffects()
    }

    // MARK: - Implementation details

    /// Emits the decision about one job.
    private func emit(_ due: Due, to output: AnyActionHandler<AnyAction>) {
        // The state may be written by hand, and have jobs that no longer exist.
        guard let job = jobs.first(where: { $0.name == due.job }) else { return }
        if due.missed > 0, job.missed == .tell {
            let times = due.missed == 1 ? "1 time was" : "\(due.missed) times were"
            context.log(
                .warning,
                "\(job.name): \(times) missed from \(WallTime.text(of: due.from)) to \(WallTime.text(of: due.to))"
            )
            output.dispatch(
                AnyAction(
                    Schedule.missed,
                    payload: [
                        "job": .string(job.name), "count": .integer(Int64(due.missed)),
                        "from": .integer(due.from), "to": .integer(due.to),
                    ]))
        }
        guard let at = due.at else { return }
        context.count("runs")
        output.dispatch(
            AnyAction(
                job.emit, payload: job.payload, meta: ["job": .string(job.name), "at": .integer(at)]))
    }

    /// Ticks now and whenever a job is due, until none follows or the effect is cancelled.
    private static func run(
        _ recurrences: [Recurrence], by clock: HostClock, _ output: EffectOutput<AnyAction>
    ) async {
        var now = clock.unixTime()
        while !output.isCancelled {
            await output.emit(AnyAction(Schedule.tick))
            guard let moment = Moments.whole(now),
                let next = recurrences.compactMap({ $0.next(after: moment) }).min()
            else { return }
            guard (try? await clock.sleep(until: Double(next))) != nil else { return }
            now = max(clock.unixTime(), Double(next))
        }
    }
}
