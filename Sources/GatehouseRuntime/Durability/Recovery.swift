// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// The remains of the previous run in a journal, and a host's way back to its state.
///
/// The past belongs to the generations that made it: their reducers process the actions after the last snapshot, and only then
/// the present configuration takes over, as at a reload.
///
/// `@unchecked Sendable`: used by one thread at a time, while nobody writes to the journal: by the one that starts the host, and
/// then by the one that runs it.
package final class Recovery: @unchecked Sendable {
    /// What is in the journal at one moment.
    private struct Contents {
        /// The walk over it.
        let walk: PastWalk
        /// Inputs that were accepted and not finished, in order.
        let inputs: [JournalInputRecord]
        /// Effects that were running.
        let effects: [JournalEffect]
        /// The dead letters.
        let letters: [DeadLetter]
        /// Diagnostics from outside the walk.
        let found: [Diagnostic]
    }

    /// What is in the journal.
    private var contents: Contents
    /// The place that the walk has reached.
    package private(set) var place: PastWalk.Place
    /// The plan that has taken over, limited to its running instances.
    package private(set) var plan: RecordedPlan?
    /// What was found while instances were made.
    private var unread: [Diagnostic] = []
    /// Whether to skip unreadable actions.
    private let acceptsLoss: Bool
    /// The reducers of each part.
    private let reducers: PastWalk.Reducers

    /// Reduces a journal up to its last action.
    ///
    /// - Parameter acceptsLoss: whether to skip unreadable actions, with a report; otherwise they are an error.
    /// - Throws: why the journal cannot be read or reduced.
    package init(folder: String, acceptsLoss: Bool, by reducers: PastWalk.Reducers) throws(PastFailure) {
        (self.acceptsLoss, self.reducers) = (acceptsLoss, reducers)
        contents = try Self.contents(of: folder, acceptsLoss: acceptsLoss)
        let walk = contents.walk
        place = try walk.place(behind: walk.last(), enteringNext: true, by: reducers)
    }

    /// Reduces what a host has written since, up to the last action; not after instances were made.
    ///
    /// - Returns: how many actions that were.
    /// - Throws: why the journal cannot be read or reduced; the place is the same then.
    package func follow() throws(PastFailure) -> UInt64 {
        let next = try Self.contents(of: contents.walk.folder, acceptsLoss: acceptsLoss)
        var place = place
        try next.walk.advance(&place, to: next.walk.last(), enteringNext: true, by: reducers)
        defer { (contents, self.place) = (next, place) }
        return place.sequence - self.place.sequence
    }

    /// Reads all but the actions of a journal.
    private static func contents(of folder: String, acceptsLoss: Bool) throws(PastFailure) -> Contents {
        do throws(JournalFailure) {
            try JournalTrust.judge(folder: folder)
            let walk = try PastWalk(folder: folder, acceptsLoss: acceptsLoss)
            let path = walk.reader.path
            let open = try walk.reader.openInputs()
            let effects = try walk.reader.runningEffects()
            let letters = try walk.reader.deadLetters()
            let deadDamage = try walk.reader.damageOfDeadLetters()
            if let damage = open.damage.first, !acceptsLoss {
                throw JournalFailure(path, .reading, .damaged(damage))
            }
            var found = open.damage.map {
                Diagnostic(.warning, "\(path): \($0); the host continues without its content")
            }
            found += letters.damaged.map {
                Diagnostic(.warning, "\(path): dead letter \($0) cannot be read, and is left out")
            }
            if let deadDamage {
                found.append(
                    Diagnostic(
                        .warning, "\(path): dead letters may be missing: SQLite says: \(deadDamage)"))
            }
            return Contents(
                walk: walk, inputs: open.inputs, effects: effects, letters: letters.letters, found: found)
        } catch {
            throw .journal(error)
        }
    }

    /// Inputs that were accepted and not finished, in order.
    package var inputs: [JournalInputRecord] { contents.inputs }
    /// Effects that were running, each by the id of its instance in the last plan: a host that died in the midst of a reload has not
    /// recorded who had taken over from whom.
    package var effects: [JournalEffect] {
        guard let last = place.record, let before = contents.walk.records.last(where: { $0.id < last.id })
        else { return contents.effects }
        let succession = Succession(from: before.plan.entries.map(\.id), to: last.plan.entries)
        var heirs: [String: String] = [:]
        for entry in last.plan.entries {
            if let id = succession[entry.id], id != entry.id { heirs[id] = entry.id }
        }
        guard !heirs.isEmpty else { return contents.effects }
        return contents.effects.map { effect in
            guard let heir = heirs[effect.instance] else { return effect }
            var effect = effect
            effect.instance = heir
            return effect
        }
    }
    /// The dead letters.
    package var letters: [DeadLetter] { contents.letters }
    /// Diagnostics for the operator.
    package var diagnostics: [Diagnostic] { contents.walk.diagnostics + contents.found + unread }
    /// The last action included in the state with which the instances were made.
    package var sequence: UInt64 { place.sequence }
    /// The number of actions reduced again.
    package var replayed: Int { place.count }

    /// A summary of the recovery so far; nil where there was nothing to recover.
    package var summary: String? {
        guard sequence > 0 || !inputs.isEmpty else { return nil }
        var parts = ["resumes after action \(sequence)"]
        if replayed > 0 { parts.append("\(replayed) of them replayed since the last snapshot") }
        if !inputs.isEmpty { parts.append("\(inputs.count) accepted and not yet processed") }
        let again = effects.count { $0.recovery == .again }
        if again > 0 { parts.append("\(again) \(again == 1 ? "effect begins" : "effects begin") again") }
        if effects.count > again { parts.append("\(effects.count - again) interrupted") }
        return parts.joined(separator: ", ")
    }

    // MARK: - The instances

    /// The images of the generations.
    package var images: KeptImages { KeptImages(journal: contents.walk.folder) }

    /// The plan of the last generation; nil where none is recorded.
    var lastPlan: RecordedPlan? { place.record?.plan }

    /// Tries the plugins of a plan before any of their code runs in this process, with the states that they will take over.
    ///
    /// - Parameter stop: the request to end; nil where there is none.
    /// - Returns: the plan without the plugins that failed; nil when the end was requested.
    package func rehearse(_ plan: HostPlan, images: ImageCache, stop: StopRequest?) -> HostPlan? {
        Rehearsal(of: plan, takingOver: states(for: plan), images: images, stop: stop).result()
    }

    /// Returns the states that a plan's instances take over, from another library or because they were kept, by new id.
    private func states(for plan: HostPlan) -> [String: VersionedState] {
        let plain = place.state.plain(for: plan.configuration)
        let entries = place.state.entries
        let succession = Succession(from: entries.keys, to: plan.instances.map(\.entry))
        var states: [String: VersionedState] = [:]
        for planned in plan.instances {
            if let entry = succession[planned.id].flatMap({ entries[$0] }) {
                if entry.digest != planned.digest?.hex { states[planned.id] = entry.state }
            } else {
                states[planned.id] = place.state.kept.state(for: planned, in: plain)?.state
            }
        }
        return states
    }

    /// Makes the instances of a plan with the states from the past.
    ///
    /// - Parameter leavesUnread: whether to leave out an instance that does not accept its state, and keep the state; otherwise that
    ///   is an error.
    /// - Throws: all problems.
    package func assemble(
        _ plan: HostPlan, by assembler: Assembler, leavingUnread leavesUnread: Bool = true
    ) throws(Diagnostics) -> Assembly {
        let isFirst = place.sequence == 0 && place.record == nil
        let assembly = try assembler.assemble(
            plan, restoring: isFirst ? nil : place.state, behind: place.sequence, leavingUnread: leavesUnread)
        unread += assembly.unread
        self.plan = RecordedPlan(plan.running(assembly.instanceIDs))
        return assembly
    }

    /// Whether the state of an instance differs from that of the previous generation: made, migrated or renamed.
    package func isMade(_ instance: Instance) -> Bool {
        guard let before = place.state.entries[instance.id] else { return true }
        return before.state == nil || before.state?.version != instance.exports.stateVersion
            || before.digest != instance.planned.digest?.hex
    }

    /// Returns the configuration's changes of the plain state that was left; nil for none.
    package func patch(to configured: Value) -> Value? { place.state.configured.patch(to: configured) }
}

// Libraries whose reducers fail on the past: their slices stand still, and the others continue.
extension Recovery {
    /// A library whose reducer ended the child that reduces the journal, or did not return there.
    package struct FallenLibrary: Equatable {
        /// The digest of the library's bytes, in hexadecimal.
        package let digest: String
        /// The id of the plugin.
        package let plugin: String
        /// The reason, as a sentence without an end mark.
        package let reason: String
    }

    /// The libraries that the host should not load again.
    package var fallen: [FallenLibrary] {
        place.fallen.compactMap { one in
            guard let entry = place.state.entries[one.id], let digest = entry.digest else { return nil }
            return FallenLibrary(
                digest: digest, plugin: entry.plugin,
                reason:
                    "its reducer \(one.reason) at action \((one.at + 1).grouped), when the journal was replayed"
            )
        }
    }
}
