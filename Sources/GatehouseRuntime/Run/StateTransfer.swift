// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// How a new instance comes to its state: from the one whose place it takes, or from what is kept for it.
///
/// Most of the work is done beside the drain, on a copy. What has changed since then is done again in the drain.
package final class StateTransfer {
    /// The instance that takes the state over.
    package let instance: Instance
    /// The one whose place it takes; nil for none.
    package let old: Instance?
    /// The planned instance, which gives mistakes their place and name.
    private let planned: PlannedInstance
    /// The version of the old slice that was copied; nil when none was.
    private var copied: UInt64?
    /// The kept value that was taken over.
    private var kept: Value?
    /// Where that lies; nil for nowhere.
    private(set) var keptPlace: JSONPointer?
    /// Whether the instance has caught up with what it missed in quarantine, but for what came last.
    private(set) var isCaughtUp = false

    /// A transfer of which nothing is done.
    package init(to instance: Instance, of planned: PlannedInstance, from old: Instance?) {
        self.instance = instance
        self.planned = planned
        self.old = old
    }

    /// Takes over a copy; called beside the drain.
    ///
    /// - Throws: why it cannot be taken over.
    package func prepare(_ copy: StateCopy?, plain: Value, kept: [JSONPointer: KeptSlice]) throws(Diagnostic)
    {
        if let copy {
            try restore(copy.state.value, from: copy.state.version)
            copied = copy.slice
        } else if let old, !old.slice.isEmpty, planned.quarantine != nil {
            throw refusal(
                "its state cannot be written as JSON, so that it cannot stand while the library is in quarantine"
            )
        } else if old == nil {
            try takeKept(in: plain, kept)
        }
    }

    /// Takes over the state of one that has caught up with what it missed in quarantine; called beside the drain.
    ///
    /// - Throws: why it cannot be taken over.
    package func prepare(_ caughtUp: CaughtUp) throws(Diagnostic) {
        isCaughtUp = true
        guard let state = caughtUp.state else { return }
        try restore(state.value, from: state.version)
        copied = old?.slice.version
    }

    /// Lets the instance reduce what it has missed since it caught up; called in the drain, when it has its state.
    package func catchUp(in store: HostStore) {
        guard isCaughtUp, let late = old?.standing?.late else { return }
        for action in late { reduce(action, in: store) }
    }

    /// Lets the instance reduce what the one before has not: what its worker had not answered, or what has passed since it went; called
    /// in the drain, when the instance has its state.
    func reduce(_ actions: [LateAction], in store: HostStore) {
        guard instance.standing == nil, !instance.slice.isEmpty else { return }
        for action in actions { reduce(action, in: store) }
    }

    /// Lets the instance reduce an action, or reports why it cannot.
    private func reduce(_ late: LateAction, in store: HostStore) {
        do throws(CodingFailure) {
            try instance.reduce(late, in: store)
        } catch {
            instance.outlet.report(.unreadable(late.action, error), in: store.dependencies.pass)
        }
    }

    /// Takes over what was not copied, or has changed since; called in the drain.
    ///
    /// - Throws: why that cannot be taken over.
    package func finish(_ plain: Value, kept: [JSONPointer: KeptSlice]) throws(Diagnostic) {
        guard let old else { return try takeKept(in: plain, kept) }
        if old.standing != nil, old.slice.isEmpty, !isCaughtUp { try takeKept(in: plain, kept) }
        if planned.entry.gate == old.planned.entry.gate { instance.takeGate(of: old) }
        guard !instance.slice.isEmpty, !old.slice.isEmpty, copied != old.slice.version else { return }
        if instance.slice.adopt(old.slice) { return }
        let value: Value?
        do {
            value = try old.slice.value()
        } catch {
            throw refusal("the state of \(old.id) cannot be written as JSON: \(error)")
        }
        if let value { try restore(value, from: old.exports.stateVersion) }
    }

    /// Lets an instance whose library goes into quarantine stand where an action left it, or where the one before it stood; called in the
    /// drain.
    package func stand(behind sequence: UInt64) {
        instance.standing?.take(old?.standing?.value ?? Standing(at: sequence))
    }

    /// The same where the worker of the one before has not reduced the last actions, which count as missed.
    func stand(as standing: Standing) {
        var standing = standing
        // The new entry may hear other types.
        standing.interrupt()
        instance.standing?.take(standing)
    }

    /// Takes over the value that is kept at the place of the slice, if there is one.
    private func takeKept(in plain: Value, _ known: [JSONPointer: KeptSlice]) throws(Diagnostic) {
        let place = known.place(for: planned.entry, of: planned.manifest.id)
        guard !instance.slice.isEmpty, let value = plain[place ?? instance.slicePointer], value != kept
        else { return }
        // What the configuration says is of the present version.
        try restore(value, from: place.flatMap { known[$0]?.stateVersion } ?? instance.exports.stateVersion)
        kept = value
        keptPlace = place
    }

    /// Migrates and decodes a value.
    private func restore(_ value: Value, from version: Int) throws(Diagnostic) {
        do throws(StateRefusal) {
            try VersionedState(version: version, value: value).restore(instance.slice, of: instance.exports)
        } catch {
            throw refusal("\(error)")
        }
    }

    /// What to say when the state cannot be handed over.
    private func refusal(_ sentence: String) -> Diagnostic {
        Diagnostic(
            .error, refusing: planned.library?.path ?? planned.id, for: planned.id, because: [sentence])
    }
}

/// The state of an instance at some moment, apart from it.
package struct StateCopy: Sendable {
    /// The state, with the version of its form.
    package let state: VersionedState
    /// The version of the slice, which grows with each change.
    package let slice: UInt64

    /// Copies the state of an instance; called in the drain. Nil for none, and for one that cannot be written.
    package init?(of instance: Instance) {
        guard let value = (try? instance.slice.value()) ?? nil else { return nil }
        state = VersionedState(version: instance.exports.stateVersion, value: value)
        slice = instance.slice.version
    }
}

/// The state of a host as it was between two actions, copied for little and not encoded yet.
package struct CopiedState: Sendable {
    /// The state of one instance.
    private struct Entry {
        /// The id of the instance.
        let id: String
        /// Its state, encoded when it is asked for; nil for a plugin without.
        let state: SliceCopy?
        /// The version of the form of the state.
        let version: Int
        /// Everything else, with no state.
        let rest: SavedState.Entry
    }

    /// What the instances have.
    private let entries: [Entry]
    /// Everything else, with no instances.
    private let rest: SavedState

    /// Copies the state of a generation; called in the drain.
    ///
    /// - Parameter isWanted: whether the state of an instance is copied.
    init(
        of generation: Generation, configured: Value, where isWanted: (Instance) -> Bool = { _ in true }
    ) {
        let tree = generation.state.state
        entries = generation.instances.filter(isWanted).map { instance in
            Entry(
                id: instance.id, state: instance.slice.copy(), version: instance.exports.stateVersion,
                rest: SavedState.Entry(
                    plugin: instance.manifest.id, digest: instance.planned.digest?.hex,
                    pointer: instance.slicePointer, state: nil, gate: "\(instance.planned.entry.gate)",
                    position: instance.statePointer == nil ? instance.gate : nil,
                    standing: instance.standing?.value))
        }
        rest = SavedState(configured: configured, plain: tree.plain, kept: tree.kept, entries: [:])
    }

    /// The state as it goes from one run to the next; callable once, on any thread.
    ///
    /// - Throws: when a plugin's state does not encode.
    package func saved() throws(CodingFailure) -> SavedState {
        var all: [String: SavedState.Entry] = [:]
        for entry in entries {
            var made = entry.rest
            if let state = entry.state {
                made.state = VersionedState(version: entry.version, value: try state())
            }
            all[entry.id] = made
        }
        return SavedState(configured: rest.configured, plain: rest.plain, kept: rest.kept, entries: all)
    }
}
