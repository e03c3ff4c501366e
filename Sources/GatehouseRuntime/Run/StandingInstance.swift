// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// What an instance does while its library is in quarantine: counts what its gate lets pass, and keeps what would be lost as dead
/// letters.
///
/// Belongs to one instance, and is used in the drain, or before anybody else knows the instance.
package final class StandingInstance {
    /// Where the slice stands.
    package private(set) var value: Standing
    /// The state as it was left; nil where there is none.
    package let state: VersionedState?
    /// Whether actions stop here that the interceptor would have decided about.
    let stopsActions: Bool
    /// The instance; nil before it is connected.
    private weak var instance: Instance?
    /// The host that it is in; nil before it is connected.
    private weak var store: HostStore?
    /// Says what time it is, as the plugin would have asked; nil where it is not granted.
    package var clock: HostClock?
    /// What it has missed since a catch-up began; nil while there is none.
    package private(set) var late: [LateAction]?

    /// An instance that stands.
    ///
    /// - Parameters:
    ///   - state: the state as it was left; nil where there is none.
    ///   - stopsActions: whether actions stop here that the interceptor would have decided about.
    package init(_ value: Standing, state: VersionedState?, stopsActions: Bool) {
        self.value = value
        self.state = state
        self.stopsActions = stopsActions
    }

    /// Learns where it is.
    package func connect(to store: HostStore, as instance: Instance) {
        self.store = store
        self.instance = instance
    }

    /// Goes on as another one that stood in its place, or begins.
    package func take(_ earlier: Standing) { value = earlier }

    /// Takes note that the gate has moved, or that it hears other types from here on.
    func interrupt() { value.interrupt() }

    /// Takes note of an action that would have come to the instance.
    func miss(_ sequence: UInt64) { value.miss(sequence) }

    /// Takes note of the action in hand, under its local type, and gives what is to be done once everybody has had it.
    func miss(_ action: AnyAction) -> IO<AnyAction> {
        guard let store else { return .pure() }
        let sequence = store.queue.mark
        miss(sequence)
        // The reducer might have asked for the time, so the journal keeps it.
        let time = clock.map { store.dependencies.pass.time(by: $0.unixTime) }
        late?.append(
            LateAction(action, under: store.dependencies.pass.type ?? action.type, at: time, as: sequence))
        return IO { [weak self] _ in self?.keepUnheard(action, sequence) }
    }

    /// Keeps what it misses from here on until it has caught up with what was before.
    package func collect() { late = [] }

    /// Keeps nothing of what it misses any more.
    package func stopCollecting() { late = nil }

    /// Keeps the action in hand as a dead letter if nobody else has heard it; the first who stands does so for all.
    private func keepUnheard(_ action: AnyAction, _ sequence: UInt64) {
        guard let store, let generation = store.generation, let instance,
            let type = generation.unheardType(standingFirst: instance)
        else { return }
        store.dependencies.letters.add(
            .quarantined, action.renamed(type), from: generation.pass.source, instance: instance.id,
            sequence: store.recorder == nil ? nil : sequence,
            reason: "only \(Self.owner(instance)), would have heard it; \(Self.advice(instance))")
    }

    /// Keeps an action that stops here as a dead letter.
    package func stop(_ action: AnyAction, from source: ActionSource) {
        guard let store, let instance else { return }
        store.dependencies.letters.add(
            .quarantined, action, from: source, instance: instance.id,
            reason:
                "\(Self.owner(instance)), would have decided about it, and its plugin.json says to stop what it cannot decide about; \(Self.advice(instance))"
        )
    }

    /// The instance in a sentence.
    private static func owner(_ instance: Instance) -> String {
        "\(instance.id), whose plugin \(instance.manifest.id) is in quarantine"
    }

    /// What an operator does with the letter.
    private static func advice(_ instance: Instance) -> String {
        "let the plugin out with gatehouse ctl release \(instance.id), then dispatch the letter again"
    }
}

extension Generation {
    /// The type of the action in hand if that has come to nobody but instances in quarantine, of which this one is the first; nil otherwise.
    ///
    /// One that moves the gate of an instance that runs, or asks something of the host, has come to something.
    fileprivate func unheardType(standingFirst instance: Instance) -> ActionType? {
        guard let type = pass.type else { return nil }
        let route = routes.route(for: type)
        guard route.request == nil else { return nil }
        var isFirst: Bool?
        for index in unsafe 0..<route.stops.count {
            let stop = unsafe route.stops[index]
            let stands = stop.instance.standing != nil
            if stop.local == nil {
                if !stands { return nil }
            } else if pass.hasPassed(index) {
                guard stands else { return nil }
                if isFirst == nil { isFirst = stop.instance === instance }
            }
        }
        return isFirst == true ? type : nil
    }
}

extension StandingInstance {
    /// What stands for a library in quarantine; nil for one that is not.
    ///
    /// - Parameters:
    ///   - state: the state as it was left; nil where there is none.
    ///   - value: where it stands.
    package convenience init?(_ planned: PlannedInstance, on state: VersionedState?, as value: Standing) {
        guard planned.quarantine != nil else { return nil }
        self.init(value, state: state, stopsActions: planned.stopsInQuarantine)
    }
}

extension Standing {
    /// What to say when an instance goes on from where its slice stands; nil where it has missed nothing.
    package func skipped(by planned: PlannedInstance) -> Diagnostic? {
        guard missed > 0 else { return nil }
        return Diagnostic(
            .warning, instance: planned.id,
            (planned.keepsState == false ? "goes on" : "resumes from action \(at.grouped)")
                + " and skips \(missed.grouped) that it missed in quarantine")
    }

    /// Names those whose gates follow slices that stand.
    ///
    /// - Parameter standing: where the slices stand, by the ids of their instances.
    package static func followers(of instances: [PlannedInstance], standing: [String: Standing])
        -> [Diagnostic]
    {
        let owners = instances.filter { standing[$0.id] != nil && $0.keepsState != false }
        guard !owners.isEmpty else { return [] }
        return instances.compactMap { planned in
            guard case .state(let pointer) = planned.entry.gate,
                let owner = owners.first(where: { $0.entry.slice.contains(pointer) }),
                let value = standing[owner.id]
            else { return nil }
            return Diagnostic(
                .warning, instance: planned.id,
                "its gate follows \(pointer), and \(owner.id), which keeps that, is in quarantine and stands at action \(value.at.grouped)"
            )
        }
    }
}
