// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Asks the rules about each action, and holds those that wait for quiet.
final class LimitInterceptor: InterceptorProtocol {
    /// A waiting action.
    private struct Held {
        /// Lets it pass.
        let next: Next<AnyAction>
        /// The action and its source, in case another one takes its place.
        let action: DispatchedAction<AnyAction>
        /// The time of its arrival, in seconds since 1970.
        let came: Double
        /// Its number among all that waited, because several may come at one moment.
        let turn: UInt64
    }

    /// The settings and the host's services.
    private let context: Limit.Context
    /// The waiting actions, at most one for each key of a rule.
    private var held: [Wait: Held] = [:]
    /// The number of actions that have waited so far.
    private var turns: UInt64 = 0
    /// Whether the run ends, so that nothing waits any more.
    private var isEnding = false
    /// The next time that a sweep of a full rule pays, in seconds since 1970.
    private var nextSweeps: [String: Double] = [:]
    /// The rules already reported as full.
    private var told: Set<String> = []

    /// Creates an interceptor that holds nothing.
    init(_ context: Limit.Context) { self.context = context }

    func concerns(_ action: AnyAction) -> Bool {
        if OwnAction.all.contains(action.type) {
            return action.type == OwnAction.due || action.type == OwnAction.released
        }
        return context.settings.rules.all.contains { $0.when.contains(action.type) }
    }

    func intercept(
        action: AnyAction, from dispatcher: ActionSource, state: OwnState<AnyAction, Limit.State>,
        output: AnyActionHandler<AnyAction>, next: Next<AnyAction>
    ) {
        guard let now = context.clock?.unixTime() else {
            context.health(
                .failing(
                    "it has no clock, so every action passes; grant it \"clock\" in \"lift\"/\"dependencies\""
                ))
            return next()
        }
        switch action.type {
        case OwnAction.due:
            if let wait = try? (action.payload ?? .null).decode(Wait.self) { end(wait, at: now) }
            next()
        case OwnAction.released:
            isEnding = true
            // Each by an action of its own, which ends its time of quiet too.
            for (wait, _) in inOrder { output.dispatch(AnyAction(OwnAction.due, payload: wait.payload)) }
            next()
        default:
            decide(
                about: DispatchedAction(action, dispatcher: dispatcher), at: now, state, output, next)
        }
    }

    func gateChanged(to gate: GateState) {
        // Nobody would wake them any more.
        if gate == .bypass { releaseAll() }
    }

    // MARK: - Implementation details

    /// Asks all rules, and lets the action pass, stop or wait.
    private func decide(
        about dispatched: DispatchedAction<AnyAction>, at now: Double,
        _ state: OwnState<AnyAction, Limit.State>,
        _ output: AnyActionHandler<AnyAction>, _ next: Next<AnyAction>
    ) {
        let concerns = context.settings.rules.all.compactMap { rule in
            rule.key(of: dispatched.action).map { (rule: rule, key: $0) }
        }
        var decision = Decision()
        for concern in concerns {
            if case .debounce = concern.rule.measure { continue }
            let (slot, known) = place(of: concern.key, in: concern.rule, at: now, state)
            switch concern.rule.measure.answer(at: now, known: known) {
            case .pass(let value):
                decision.kept.append(.init(rule: concern.rule.name, key: slot, value: value))
            case .stop(let value, let wait):
                // An action that does not pass spends nothing of other rules.
                decision.kept = value.map { [.init(rule: concern.rule.name, key: slot, value: $0)] } ?? []
                decision.stopped = .init(rule: concern.rule.name, key: concern.key)
                return tell(dispatched, wait: wait, decision, state, output)
            }
        }
        if !decision.kept.isEmpty { apply(decision, to: state) }
        guard
            let last = concerns.lazy.compactMap({ concern -> Wait? in
                guard case .debounce(let quiet) = concern.rule.measure else { return nil }
                return Wait(rule: concern.rule.name, key: concern.key, quiet: quiet)
            }).first
        else { return next() }
        hold(dispatched, until: last, at: now, state, output, next)
    }

    /// Returns a rule's slot for a key, nil for the one of all others, and the number in it.
    private func place(
        of key: String, in rule: Rule, at now: Double, _ state: OwnState<AnyAction, Limit.State>
    ) -> (slot: String?, known: Double?) {
        let name = rule.name
        let limit = context.settings.keys
        if let known = state().rules[name]?.keys[key] { return (key, known) }
        guard let count = state().rules[name]?.keys.count, count >= limit else { return (key, nil) }
        tellFull(rule)
        if let memory = rule.measure.memory, now >= nextSweeps[name] ?? 0 {
            // A forgotten key may pass again, which is the lesser evil only for a rule of uniqueness.
            let isUnique = if case .unique = rule.measure { true } else { false }
            let sweep = Sweep(
                rule: name, until: now, atLeast: isUnique ? count - limit + 1 + limit / 8 : 0)
            if !isUnique { nextSweeps[name] = now + memory / 16 }
            if let payload = try? Value(encoding: sweep) {
                state.apply(AnyAction(OwnAction.swept, payload: payload))
            }
            if state().rules[name]?.keys.count ?? 0 < limit { return (key, nil) }
        }
        return (nil, state().rules[name]?.other)
    }

    /// Reports once that a rule is full.
    private func tellFull(_ rule: Rule) {
        context.count("overflowed")
        guard told.insert(rule.name).inserted else { return }
        let fate =
            switch rule.measure {
            case .unique: "the oldest are forgotten before their time"
            case .debounce: "actions with other keys pass at once"
            case .rate, .sample: "all others share one place"
            }
        context.log(
            .warning,
            "the rule \"\(rule.name)\" knows \(context.settings.keys) keys, so \(fate); raise \"keys\"")
    }

    /// Holds an action until quiet; stops the one that waited in its place.
    private func hold(
        _ action: DispatchedAction<AnyAction>, until wait: Wait, at now: Double,
        _ state: OwnState<AnyAction, Limit.State>, _ output: AnyActionHandler<AnyAction>,
        _ next: Next<AnyAction>
    ) {
        if isEnding { return next() }
        guard held[wait] != nil || held.count < context.settings.keys else {
            if let rule = context.settings.rules.all.first(where: { $0.name == wait.rule }) { tellFull(rule) }
            return next()
        }
        turns += 1
        let before = held.updateValue(
            Held(next: next, action: action, came: now, turn: turns), forKey: wait)
        output.dispatch(AnyAction(OwnAction.held, payload: wait.payload))
        guard let before else { return }
        let decision = Decision(stopped: .init(rule: wait.rule, key: wait.key))
        tell(before.action, wait: nil, decision, state, output)
    }

    /// Counts a stopped action, and emits `stopped` if the settings ask for it.
    private func tell(
        _ stopped: DispatchedAction<AnyAction>, wait: Double?, _ decision: Decision,
        _ state: OwnState<AnyAction, Limit.State>, _ output: AnyActionHandler<AnyAction>
    ) {
        apply(decision, to: state)
        context.count("stopped")
        guard context.settings.tell, let stop = decision.stopped else { return }
        var payload: Members = [
            "type": .string(stopped.action.type.name), "rule": .string(stop.rule), "key": .string(stop.key),
        ]
        payload["id"] = stopped.action.meta?["id"]
        let source = stopped.dispatcher
        payload["source"] = .string(source.emitter ?? "\(source.file):\(source.line)")
        if let wait { payload["wait"] = .double(wait) }
        // Keep the source of the stopped action, so that the host knows its cause.
        output.dispatch(
            DispatchedAction(
                AnyAction(OwnAction.stopped, payload: .object(payload)), dispatcher: source))
    }

    /// Applies a decision to the state.
    private func apply(_ decision: Decision, to state: OwnState<AnyAction, Limit.State>) {
        // Texts and finite numbers always encode.
        guard let payload = try? Value(encoding: decision) else { return }
        state.apply(AnyAction(OwnAction.decided, payload: payload))
    }

    /// Lets an action pass if it was quiet long enough, or nothing waits any more; a later action gets an end of its own.
    private func end(_ wait: Wait, at now: Double) {
        guard let found = held[wait], isEnding || now - found.came >= wait.quiet - 1e-6 else { return }
        held[wait] = nil
        found.next()
    }

    /// The waiting actions, in the order of arrival.
    private var inOrder: [(Wait, Held)] { held.sorted { $0.value.turn < $1.value.turn } }

    /// Lets all waiting actions pass.
    private func releaseAll() {
        let all = inOrder
        held = [:]
        for (_, found) in all { found.next() }
    }
}
