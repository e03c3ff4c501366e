// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK

/// An action as an earlier run reduced it.
package struct ReplayedAction {
    /// The action under its global type; under its local one below the instance's id where an instance owns it.
    package let action: AnyAction
    /// The time that the reducers see, in seconds since 1970.
    package let time: Double
    /// The instance whose own state it changed; nil for an action that every instance saw.
    package let owner: String?
    /// Its number in the journal; 0 where that is not known.
    package var sequence: UInt64 = 0

    /// An action to reduce once more.
    package init(action: AnyAction, time: Double, owner: String?, sequence: UInt64 = 0) {
        self.action = action
        self.time = time
        self.owner = owner
        self.sequence = sequence
    }
}

// How a run comes back to where the one before was: by its reducers alone.
extension Generation {
    /// Where actions of the past come from, for the flight recorder.
    private static let past = ActionSource(file: "journal", function: "", line: 0, info: nil)

    /// Lets the reducers do once more what they have done to an action, and the gates what they have; called before the start.
    ///
    /// No middleware, interceptor or observer hears of it, nothing is emitted, and of what it asks of the host only the state is
    /// changed.
    func replay(_ replayed: ReplayedAction) {
        progress.take()
        pass.came(at: replayed.time)
        defer { pass.end() }
        progress.begin(replayed.sequence, replayed.action.type, from: Self.past)
        if let owner = replayed.owner { return replay(replayed, ownedBy: owner) }
        let action = replayed.action
        let route = routes.route(for: action.type)
        var lifted = action
        var isChanged = false
        // All gates decide before the first reducer changes anything.
        for index in unsafe 0..<route.stops.count {
            let stop = unsafe route.stops[index]
            let hasPassed = stop.instance.lets(action, pass: stop) && stop.local != nil
            pass.note(hasPassed, at: index)
            if hasPassed, let standing = stop.instance.standing { standing.miss(replayed.sequence) }
        }
        let hasWorkers = unsafe (0..<route.stops.count).contains {
            unsafe route.stops[$0].instance.worker != nil
        }
        if route.reduces || hasWorkers {
            state.change {
                for index in unsafe 0..<route.stops.count where pass.hasPassed(index) {
                    let stop = unsafe route.stops[index]
                    guard let local = stop.local, stop.instance.standing == nil else { continue }
                    lifted.rename(to: local)
                    progress.enter(.reduce, of: stop.instance)
                    if stop.instance.reduce(past: lifted, of: replayed) == .changed { isChanged = true }
                }
            }
            progress.leave()
        }
        if let request = route.request, request == .mergeState {
            // What could not be merged was told when it came.
            _ = merge(action)
            isChanged = true
        }
        if isChanged { refreshGates() }
    }

    /// Lets an instance change its own state once more.
    private func replay(_ replayed: ReplayedAction, ownedBy id: String) {
        guard let instance = instances.first(where: { $0.id == id || $0.planned.entry.was == id }),
            let local = LiftedNames.strip(id + "/", from: replayed.action.type.name)
        else { return }
        if let standing = instance.standing { return standing.miss(replayed.sequence) }
        let own = replayed.action.renamed(ActionType(local))
        let change = progress.during(.reduce, of: instance) {
            state.change { instance.reduce(past: own, of: replayed) }
        }
        if change == .changed { refreshGates() }
    }

    /// Tells the instances that they start, and does nothing of what they want done then: that is in the past.
    func startSilently() {
        store.dependencies.window.open(on: state, in: store.queue)
        for instance in instances { _ = instance.start() }
    }

    /// Lets plugins hear of their gates, or no longer, while actions are replayed.
    func setReplaying(_ isReplaying: Bool) {
        for instance in instances { instance.isReplaying = isReplaying }
    }
}
