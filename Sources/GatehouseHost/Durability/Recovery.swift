// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What the run before has left in a journal, and the way of a host back to where that was.
///
/// `@unchecked Sendable`: used by one thread at a time, while nobody writes to the journal: by the one that starts the host, and
/// after it by the one that runs it.
public final class Recovery: @unchecked Sendable {
    /// Reads the journal.
    private let reader: JournalReader
    /// Good snapshots, the newest first.
    private let snapshots: [StoredSnapshot]
    /// Inputs that were accepted and are not done, in order.
    let inputs: [JournalInputRecord]
    /// Effects that were running.
    let effects: [JournalEffect]
    /// Actions that came to nothing.
    let letters: [DeadLetter]
    /// What an operator should know about what was found.
    public private(set) var findings: [Finding] = []
    /// The last action that is in the state which the instances were made with.
    private(set) var sequence: UInt64 = 0
    /// How many actions were gone through once more.
    public private(set) var replayed = 0
    /// Whether damaged parts are left out.
    private let acceptsLoss: Bool

    /// Looks at what a journal has.
    ///
    /// - Parameters:
    ///   - acceptsLoss: whether actions that cannot be read are left out, which is told; otherwise they are an error.
    ///   - last: snapshots behind later actions are left alone.
    /// - Throws: what cannot be read.
    public init(
        folder: String, acceptsLoss: Bool, notAbove last: UInt64 = .max
    ) throws(JournalFailure) {
        reader = try JournalReader(folder: folder)
        self.acceptsLoss = acceptsLoss
        let path = reader.path
        let found = try reader.snapshots()
        snapshots = found.good.filter { $0.sequence <= last }
        let way = found.good.isEmpty ? "all of the journal is gone over" : "an older snapshot is used"
        findings = found.damaged.map { Finding(.warning, "\(path): \($0); \(way)") }
        let open = try reader.openInputs()
        inputs = open.inputs
        effects = try reader.runningEffects()
        letters = try reader.deadLetters().letters
        if !open.damage.isEmpty { try lose(open.damage) }
    }

    /// What was done so far to go on where the run before has ended; nil where there was nothing to do.
    public var summary: String? {
        guard sequence > 0 || !inputs.isEmpty else { return nil }
        var parts = ["goes on behind action \(sequence)"]
        if replayed > 0 { parts.append("\(replayed) of them gone over since the last snapshot") }
        if !inputs.isEmpty { parts.append("\(inputs.count) accepted and not done") }
        if !effects.isEmpty { parts.append("\(effects.count) effects interrupted") }
        return parts.joined(separator: ", ")
    }

    // MARK: - The instances

    /// Makes the instances of a plan with the states of the newest snapshot that all of them take, or, where none is, of the newest
    /// one, without those that do not take theirs.
    ///
    /// - Throws: everything else that is wrong.
    public func assemble(_ plan: HostPlan, by assembler: Assembler) throws(Findings) -> Assembly {
        var first: (assembly: Assembly, sequence: UInt64)?
        for snapshot in snapshots {
            let assembly = try assembler.assemble(
                plan, restoring: snapshot.content.saved, leavingUnread: true)
            if assembly.unread.isEmpty {
                if let first {
                    findings += first.assembly.unread.map {
                        Finding(
                            .warning, refusing: $0.library ?? reader.path, for: $0.instance,
                            because: $0.sentences.dropLast() + ["the snapshot before is used for all"])
                    }
                }
                sequence = snapshot.sequence
                return assembly
            }
            if first == nil { first = (assembly, snapshot.sequence) }
        }
        if let first {
            sequence = first.sequence
            findings += first.assembly.unread
            return first.assembly
        }
        return try assembler.assemble(plan)
    }

    // MARK: - The way back

    /// Lets the reducers of a generation go over what came after its state; called before its start.
    ///
    /// - Throws: what cannot be read.
    func replay(in generation: Generation, to last: UInt64 = .max) throws(JournalFailure) {
        generation.setReplaying(true)
        defer { generation.setReplaying(false) }
        let cursor = reader.records(from: sequence + 1, to: last)
        var lines = RecordedLines()
        var isMisread = false
        while let item = try cursor.next() {
            switch item {
            case .damage(let damage): try lose([damage])
            case .record(let record):
                sequence = record.sequence
                replayed += 1
                guard record.misfit == nil, let action = lines.action(record.bytes) else {
                    if !isMisread { tellMisread(record) }
                    isMisread = true
                    continue
                }
                var owner: String?
                if case .own = record.cause { owner = record.instance }
                generation.replay(
                    Generation.Replayed(
                        action: action, time: record.time ?? record.batchTime, owner: owner))
            }
        }
    }

    /// Tells of an action that was written down without what was in it.
    private func tellMisread(_ record: JournalRecord) {
        findings.append(
            Finding(
                .warning,
                "\(reader.path): the action \(record.sequence), \(record.type), is without its payload, which could not be written as JSON: \(record.misfit ?? "it is no action"); what reducers make of such actions may differ from before"
            ))
    }

    /// Goes on without what is damaged, if that is wanted.
    private func lose(_ damage: [JournalDamage]) throws(JournalFailure) {
        guard acceptsLoss else { throw JournalFailure(reader.path, .reading, .damaged(damage[0])) }
        findings += damage.map {
            Finding(.warning, "\(reader.path): \($0); the host goes on without what was in there")
        }
    }
}
