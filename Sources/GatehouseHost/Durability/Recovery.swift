// SPDX-License-Identifier: Apache-2.0

public import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
public import GatehouseSupport

/// What the run before has left in a journal, and the way of a host back to where that was.
///
/// The past belongs to the generations that made it: their reducers go over what no snapshot has, and only then the present
/// configuration takes over, as at a reload.
///
/// `@unchecked Sendable`: used by one thread at a time, while nobody writes to the journal: by the one that starts the host, and
/// after it by the one that runs it.
public final class Recovery: @unchecked Sendable {
    /// The way over the journal.
    private let walk: PastWalk
    /// Where it has led.
    private(set) var place: PastWalk.Place
    /// The plan that has taken over, of which only what runs.
    private(set) var plan: RecordedPlan?
    /// Inputs that were accepted and are not done, in order.
    let inputs: [JournalInputRecord]
    /// Effects that were running.
    let effects: [JournalEffect]
    /// Actions that came to nothing.
    let letters: [DeadLetter]
    /// What was found beside the way.
    private var found: [Finding] = []

    /// How the past is gone over.
    public struct Means {
        /// Who reduces what.
        let stages: PastWalk.Stages

        /// Children of this process, which run the generations that are recorded, and a present plan where none is.
        ///
        /// - Parameters:
        ///   - plan: the present plan, whose images are kept; nil for none.
        ///   - isStrict: whether files that their group may write to are refused.
        ///   - patience: how long a child may go without coming any further.
        ///   - reducesWithPresent: whether the present plan takes the place of generations that cannot run here.
        public static func children(
            present plan: HostPlan?, isStrict: Bool, patience: Duration, reducesWithPresent: Bool = false
        ) -> Means {
            let recorded = ChildStage(isStrict: isStrict, patience: patience)
            var present: ChildStage?
            if let plan = plan.flatMap(RecordedPlan.init) {
                present = recorded
                present?.plan = plan
            }
            return Means(
                stages: PastWalk.Stages(
                    recorded: recorded, present: present, reducesWithPresent: reducesWithPresent))
        }
    }

    /// Goes over what a journal has, to its last action.
    ///
    /// - Parameter acceptsLoss: whether actions that cannot be read are left out, which is told; otherwise they are an error.
    /// - Throws: what cannot be read or gone over.
    public init(folder: String, acceptsLoss: Bool, by means: Means) throws(PastFailure) {
        do throws(JournalFailure) {
            try JournalTrust.judge(folder: folder)
            walk = try PastWalk(folder: folder, acceptsLoss: acceptsLoss)
            let open = try walk.reader.openInputs()
            inputs = open.inputs
            effects = try walk.reader.runningEffects()
            let letters = try walk.reader.deadLetters()
            self.letters = letters.letters
            let deadDamage = try walk.reader.damageOfDeadLetters()
            if let damage = open.damage.first, !acceptsLoss {
                throw JournalFailure(walk.reader.path, .reading, .damaged(damage))
            }
            found = open.damage.map { [path = walk.reader.path] in
                Finding(.warning, "\(path): \($0); the host goes on without what was in there")
            }
            found += letters.damaged.map { [path = walk.reader.path] in
                Finding(.warning, "\(path): dead letter \($0) cannot be read, and is left out")
            }
            if let deadDamage {
                found.append(
                    Finding(
                        .warning,
                        "\(walk.reader.path): dead letters may be missing: SQLite says: \(deadDamage)"))
            }
        } catch {
            throw .journal(error)
        }
        place = try walk.place(behind: walk.last(), enteringNext: true, by: means.stages)
    }

    /// What an operator should know about what was found.
    public var findings: [Finding] { walk.findings + found }
    /// The last action that is in the state which the instances were made with.
    var sequence: UInt64 { place.sequence }
    /// How many actions were gone through once more.
    public var replayed: Int { place.count }

    /// What was done so far to go on where the run before has ended; nil where there was nothing to do.
    public var summary: String? {
        guard sequence > 0 || !inputs.isEmpty else { return nil }
        var parts = ["goes on behind action \(sequence)"]
        if replayed > 0 { parts.append("\(replayed) of them gone over since the last snapshot") }
        if !inputs.isEmpty { parts.append("\(inputs.count) accepted and not done") }
        let again = effects.count { $0.recovery == .again }
        if again > 0 { parts.append("\(again) \(again == 1 ? "effect begins" : "effects begin") again") }
        if effects.count > again { parts.append("\(effects.count - again) interrupted") }
        return parts.joined(separator: ", ")
    }

    // MARK: - The instances

    /// The images of the generations.
    var images: KeptImages { KeptImages(journal: walk.folder) }

    /// The plan of the generation that ran last; nil where none is recorded.
    var lastPlan: RecordedPlan? { place.record?.plan }

    /// Tries the plugins of a plan before any of their code runs in this process, with the states that they are to take over.
    ///
    /// - Parameter stop: asks to end; nil where nobody does.
    /// - Returns: the plan without what came to grief; nil when somebody asked to end.
    public func rehearse(_ plan: HostPlan, images: ImageCache, stop: StopRequest?) -> HostPlan? {
        Rehearsal(of: plan, takingOver: states(for: plan), images: images, stop: stop).result()
    }

    /// The states that instances of a plan take over, from another library or because they were kept, by the ids in that plan.
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

    /// Makes the instances of a plan with the states that the past has left.
    ///
    /// - Parameter leavesUnread: whether an instance that does not take its state is left out, and the state kept; otherwise that is
    ///   an error.
    /// - Throws: everything that is wrong.
    public func assemble(
        _ plan: HostPlan, by assembler: Assembler, leavingUnread leavesUnread: Bool = true
    ) throws(Findings) -> Assembly {
        let isFirst = place.sequence == 0 && place.record == nil
        let assembly = try assembler.assemble(
            plan, restoring: isFirst ? nil : place.state, behind: place.sequence, leavingUnread: leavesUnread)
        found += assembly.unread
        self.plan = RecordedPlan(plan.running(assembly.instanceIDs))
        return assembly
    }

    /// Whether the state of an instance is other than what the generation before has left: made, migrated or renamed.
    func isMade(_ instance: Instance) -> Bool {
        guard let before = place.state.entries[instance.id] else { return true }
        return before.state == nil || before.state?.version != instance.exports.stateVersion
            || before.digest != instance.planned.digest?.hex
    }

    /// What the configuration of a host changes in the plain state that was left; nil for nothing.
    func patch(to configured: Value) -> Value? { place.state.configured.patch(to: configured) }
}
