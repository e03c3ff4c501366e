// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehousePlan
package import GatehouseSDK
private import Synchronization

/// Lets one instance's outputs out under their global types, with the instance as their source.
///
/// Apart from the instance, so that outputs that come late do not keep it alive.
///
/// `@unchecked Sendable`: used in the drain only, or before anybody else knows the host; `current` is guarded by its lock.
package final class InstanceOutput: @unchecked Sendable {
    /// What becomes of outputs that do not go the usual way.
    private enum Detour {
        /// Their instance is gone, so they go nowhere, and each is told.
        case late(() -> Void)
        /// An action is shown once more: only what its effects emit goes out, because the rest did before.
        case repeating
        /// Others do what follows: outputs are shown to a closure under their global types, and go nowhere.
        case diverted((DispatchedAction<AnyAction>) -> Void)
    }

    /// The id of the instance, which becomes the source of what it emits.
    package let id: String
    /// Gives outputs their global names, and says which are allowed; callable from any thread.
    private let current: Mutex<LiftedNames>
    /// Says whether outputs pass.
    private var gate: Gate<AnyAction, Void>
    /// What becomes of outputs that do not go the usual way; nil while all do.
    private var detour: Detour?
    /// The function that is told about refused outputs.
    private let report: @Sendable (HostReport) -> Void
    /// Keeps what goes nowhere.
    private let letters: DeadLetters
    /// Local types emitted so far, by place, each with its global type; nil for what may not be emitted.
    private var types: [Int: (local: ActionType, global: ActionType?)] = [:]
    /// The one of them that was emitted last, which is found without hashing: most instances emit one type, or the same again.
    private var lastType: (local: ActionType, global: ActionType?)?
    /// Local types of its own actions so far, by place, each with the type that a journal keeps.
    private var recordedTypes: [Int: (local: ActionType, recorded: ActionType)] = [:]
    /// The source of the output before, and the same with the instance in it: most come from one place.
    private var lastSource: (own: ActionSource, named: ActionSource)?
    /// Outputs that may not be emitted, and actions that may not become what the interceptor changed them to.
    package private(set) var refused = 0
    /// Outputs that went out.
    package private(set) var emitted = 0
    /// Payloads that do not fit the plugin, and outputs without a wire form.
    package private(set) var misfits = 0

    /// The outputs of an instance.
    package init(
        id: String, names: LiftedNames, gate: Gate<AnyAction, Void>, letters: DeadLetters,
        report: @escaping @Sendable (HostReport) -> Void
    ) {
        self.gate = gate
        self.id = id
        current = Mutex(names)
        self.letters = letters
        self.report = report
    }

    /// A sink that takes the instance's outputs under their local types, and counts its effects in an activity.
    func sink(
        before parent: ActionSink<AnyAction>, in queue: DrainQueue<Generation>, during pass: Pass,
        counting activity: Activity
    ) -> ActionSink<AnyAction> {
        // Taken once, so that an output counts no reference to it.
        let drain = parent.drain
        return ActionSink(drain: drain, activity: activity) { [self] output in
            // Measured before anybody writes it anywhere: a small value that holds another many times is a large text.
            guard isOpen(output, in: drain), fits(output, in: queue),
                let action = lifted(output.action, from: output.dispatcher)
            else { return }
            emitted &+= 1
            parent.emit(
                DispatchedAction(
                    action,
                    dispatcher: named(output.dispatcher).caused(by: ActionCause(in: drain, during: pass))))
        }
    }

    /// The names as they are now.
    private var names: LiftedNames { current.withLock { $0 } }

    /// Gives outputs other names, or another gate; called in the drain, between two actions.
    package func adapt(to names: LiftedNames, behind gate: Gate<AnyAction, Void>) {
        current.withLock { $0 = names }
        self.gate = gate
        (types, lastType) = ([:], nil)
    }

    /// Whether the instance may bring an action of the host as an input, now; callable from any thread.
    package func mayBring(_ type: String) -> Bool { names.allow?.contains { $0.admits(type) } == true }

    /// The global type that the plugin hears under a local name, now; nil where that cannot be told. Callable from any thread.
    package func heard(as local: String) -> String? { names.heard(as: local) }

    /// Lets nothing out from here on, and tells of each output that still comes; called in the drain.
    package func retire(_ onLate: @escaping () -> Void) { detour = .late(onLate) }

    /// Lets nothing out from here on, and shows to a closure what would go out, under its global type; called in the drain.
    package func divert(to take: @escaping (DispatchedAction<AnyAction>) -> Void) { detour = .diverted(take) }

    /// Lets only what effects emit go out for as long as a body runs; called in the drain.
    package func repeating(_ body: () -> Void) {
        let before = detour
        if before == nil { detour = .repeating }
        body()
        if before == nil { detour = nil }
    }

    /// Whether an output may pass; counts one that may not.
    @inline(__always)
    private func isOpen(_ output: DispatchedAction<AnyAction>, in drain: Drain?) -> Bool {
        guard let detour else { return gate.letsOutputPass() }
        return isOpen(output, in: drain, on: detour)
    }

    /// The same on a detour.
    @inline(never)
    private func isOpen(_ output: DispatchedAction<AnyAction>, in drain: Drain?, on detour: Detour) -> Bool {
        switch detour {
        case .repeating: return (drain?.mark ?? 0) & Drain.effectMark != 0 && gate.letsOutputPass()
        case .diverted(let take):
            if gate.letsOutputPass(), let action = lifted(output.action, from: output.dispatcher) {
                take(DispatchedAction(action, dispatcher: output.dispatcher))
            }
            return false
        case .late(let tell):
            tell()
            keepLate(output)
            return false
        }
    }

    /// Whether the input in hand may lead to as many bytes more; the first output that may not come is told of.
    private func fits(_ output: DispatchedAction<AnyAction>, in queue: DrainQueue<Generation>) -> Bool {
        queue.takes({ output.map { $0.renamed(nearestType(of: $0.type)) } }) {
            output.action.size(upTo: $0)
        }
    }

    /// Whether what the instance hands over by itself may pass; counts what may not.
    var letsPass: Bool {
        guard case .late(let tell) = detour else { return gate.letsOutputPass() }
        tell()
        return false
    }

    /// An action of the plugin under its global type; nil, counted, reported and kept, when it may not go out.
    func lifted(_ action: AnyAction, from source: ActionSource) -> AnyAction? {
        if let type = globalType(of: action.type) { return action.renamed(type) }
        refused += 1
        keep(.refusedOutput, action, from: source, refusal(of: action.type.name).reason)
        return nil
    }

    /// An action that the instance applies to its own state, as others see it: under its global name if it has one, otherwise
    /// under that of the instance.
    package func own(
        _ dispatched: DispatchedAction<AnyAction>, in drain: Drain
    ) -> DispatchedAction<AnyAction> {
        DispatchedAction(
            dispatched.action.renamed(nearestType(of: dispatched.action.type)),
            dispatcher: named(dispatched.dispatcher).caused(by: ActionCause(.own, drain.mark)))
    }

    /// The global type of a local one, or one with the default prefix where the lift has none for it.
    private func nearestType(of local: ActionType) -> ActionType {
        types[local.place]?.global
            ?? ActionType(names.global(of: local.name) ?? names.defaultPrefix + local.name, knownWith: local)
    }

    /// Keeps an output that goes nowhere, which has its local type, as others would have seen it.
    private func keep(
        _ kind: DeadLetter.Kind, _ action: AnyAction, from source: ActionSource, _ reason: String
    ) {
        letters.add(
            kind, action.renamed(nearestType(of: action.type)), from: source.emitted(by: id), instance: id,
            reason: reason)
    }

    /// Keeps an output that comes when its instance has gone.
    private func keepLate(_ output: DispatchedAction<AnyAction>) {
        keep(
            .late, output.action, from: output.dispatcher,
            "a reload had taken the instance \(id) away when it came")
    }

    /// An action that the instance applies to its own state, as a journal keeps it: under its local name below the id.
    package func recorded(_ dispatched: DispatchedAction<AnyAction>, in drain: Drain) -> DispatchedAction<
        AnyAction
    > {
        let local = dispatched.action.type
        if recordedTypes[local.place]?.local != local {
            recordedTypes[local.place] = (
                local, ActionType(names.defaultPrefix + local.name, knownWith: local)
            )
        }
        guard let type = recordedTypes[local.place]?.recorded else { return dispatched }
        return DispatchedAction(
            dispatched.action.renamed(type),
            dispatcher: named(dispatched.dispatcher).caused(by: ActionCause(.own, drain.mark)))
    }

    /// Whether the instance has let out one of these global types.
    func hasEmitted(oneOf names: Set<String>) -> Bool {
        types.values.contains { $0.global.map { names.contains($0.name) } ?? false }
    }

    /// Tells about an action that does not fit the plugin, or an output without a name, which is refused.
    package func report(_ misfit: Misfit, in pass: Pass) {
        misfits += 1
        switch misfit {
        case .unreadable(let action, let failure):
            keep(action, in: pass, "the payload does not fit: \(failure)")
            report(
                .undecodable(
                    source: pass.source, column: pass.text?.column(of: failure),
                    type: (pass.type ?? action.type).name, instance: id, failure: failure))
        case .unusableState(let action, let failure):
            keep(
                action, in: pass,
                "the state after it: expected \(failure.expected), found \(failure.found); the state stays as it was"
            )
            report(
                .unusableState(
                    source: pass.source, type: (pass.type ?? action.type).name, instance: id,
                    failure: failure))
        case .unwritable(let failure):
            refused += 1
            report(.unwritable(instance: id, failure: failure))
        }
    }

    /// Keeps an action that does not fit the plugin, under the type that the host has for it.
    private func keep(_ action: AnyAction, in pass: Pass, _ reason: String) {
        letters.add(
            .misfit, action.renamed(pass.type ?? action.type), from: pass.source, instance: id, reason: reason
        )
    }

    /// The source of an output, with the instance as its emitter, and as its info unless it has one.
    private func named(_ source: ActionSource) -> ActionSource {
        if let lastSource, lastSource.own.hasSameOrigin(as: source) {
            return lastSource.named.at(line: source.line)
        }
        let named = source.emitted(by: id)
        lastSource = (source, named)
        return named
    }

    /// The global type of a local one, nil when it may not be emitted.
    private func globalType(of local: ActionType) -> ActionType? {
        if let lastType, lastType.local == local { return lastType.global }
        var known = types[local.place]
        if known?.local != local {
            known = (local, findGlobalType(of: local.name).map { ActionType($0, knownWith: local) })
            types[local.place] = known
        }
        lastType = known
        return known?.global
    }

    /// Finds the global type of a name; reports, once for each, what may not be emitted.
    private func findGlobalType(of name: String) -> String? {
        if let global = names.global(of: name), names.mayEmit(name, as: global) { return global }
        let (type, reason) = refusal(of: name)
        report(.refusedOutput(instance: id, type: type, reason: reason))
        return nil
    }

    /// Why a name may not be emitted, and the name by which that is told.
    private func refusal(of name: String) -> (type: String, reason: String) {
        guard let global = names.global(of: name) else {
            return (name, "the lift's \"output\" does not name it; add it there")
        }
        return (global, names.refusal(of: global))
    }
}

extension ActionCause {
    /// What leads to an action that is emitted now; called in the drain.
    ///
    /// - Parameter pass: has the source of an action that interceptors have in hand: it has no number yet, so what it follows from takes its
    ///   place.
    @inline(__always)
    fileprivate init(in drain: Drain?, during pass: Pass) {
        let mark = drain?.mark ?? 0
        if mark == Generation.unnumbered {
            self.init(insteadOf: pass.source.cause)
        } else {
            self.init(mark == 0 || mark & Drain.effectMark != 0 ? .effect : .output, mark)
        }
    }

    /// What leads to an action that an interceptor emits while it has another one in hand.
    ///
    /// - Parameter cause: that of the one in hand.
    @inline(never)
    private init(insteadOf cause: ActionCause) {
        switch cause.kind {
        case .output: self = cause
        // The low bits are the number itself where it is not above them all.
        case .input, .interception: self.init(.interception, cause.number(notAbove: 1 << 29 - 1) ?? 0)
        case .unknown, .effect, .own: self.init(.interception, 0)
        }
    }
}
