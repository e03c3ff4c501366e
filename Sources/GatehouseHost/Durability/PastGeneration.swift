// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// A generation of the past in this process, with a state that it had: its reducers go over what a journal has, and nothing in it
/// does more. Used from one thread.
final class PastGeneration {
    /// The store, of which nobody else knows.
    private let core: HostCore
    /// Reads the journal.
    private let reader: JournalReader
    /// Whether damaged actions are left out.
    private let acceptsLoss: Bool
    /// The last action that is in the state.
    private(set) var sequence: UInt64
    /// How many actions were gone over.
    private(set) var count = 0
    /// What an operator should know.
    private(set) var findings: [Finding]
    /// The instances that stand from some action on, each with the last one that it has reduced.
    private var fallen: [FallenInstance]
    /// Whether an action without its payload was told of.
    private var isMisread = false

    /// Makes the instances of a plan with a state.
    ///
    /// - Parameters:
    ///   - sequence: the last action that is in the state.
    ///   - leavesUnread: whether an instance that does not take its state is left out, and the state kept.
    ///   - fallen: instances that stand from some action on.
    /// - Throws: what keeps them from being made.
    init(
        _ plan: HostPlan, having state: SavedState, at sequence: UInt64, in reader: JournalReader,
        by assembler: Assembler, leavingUnread leavesUnread: Bool = false,
        fallen: [FallenInstance] = [], acceptsLoss: Bool
    ) throws(Findings) {
        let assembly = try assembler.assemble(
            plan, restoring: state, behind: sequence, leavingUnread: leavesUnread)
        findings = assembly.unread
        core = HostCore(assembly, StoreTerms(report: assembler.dependencies.report))
        self.reader = reader
        self.sequence = sequence
        self.acceptsLoss = acceptsLoss
        self.fallen = fallen
    }

    /// Lets the reducers go over what comes next.
    ///
    /// - Parameters:
    ///   - last: the last action that they go over.
    ///   - onAction: called with the number of each action before it is reduced.
    /// - Throws: what cannot be read.
    func advance(to last: UInt64, onAction: @escaping (UInt64) -> Void = { _ in }) throws(JournalFailure) {
        guard last > sequence else { return }
        try core.queue.withExclusiveAccess { [self] in
            Result { () throws(JournalFailure) in
                guard let generation = core.generation else { return }
                generation.setReplaying(true)
                defer { generation.setReplaying(false) }
                let cursor = try reader.wholeRecords(from: sequence + 1, to: last)
                var lines = RecordedLines()
                while let item = try cursor.next() {
                    switch item {
                    case .damage(let damage): try lose(damage)
                    case .record(let record):
                        onAction(record.sequence)
                        reduce(record, &lines, in: generation)
                    }
                }
                sequence = max(sequence, last)
            }
        }.get()
    }

    /// The state as it is.
    ///
    /// - Throws: when a plugin's state does not encode.
    func saved(configured: Value) throws(CodingFailure) -> SavedState {
        try core.queue.withExclusiveAccess { [core] in
            core.generation.map { CopiedState(of: $0, configured: configured) }
        }?.saved() ?? .empty
    }

    /// Lets the store go.
    func close() { core.queue.withExclusiveAccess { [core] in core.close() } }

    // MARK: - Implementation details

    /// Lets the reducers go over one action.
    private func reduce(_ record: JournalRecord, _ lines: inout RecordedLines, in generation: Generation) {
        sequence = record.sequence
        count += 1
        for one in fallen where one.at < record.sequence {
            generation.instances.first { $0.id == one.id }?.fall(at: one.at)
        }
        fallen.removeAll { $0.at < record.sequence }
        guard record.misfit == nil, let action = lines.action(record.bytes) else {
            if !isMisread { tellMisread(record) }
            isMisread = true
            return
        }
        var owner: String?
        if case .own = record.cause { owner = record.instance }
        generation.replay(
            Generation.Replayed(
                action: action, time: record.time ?? record.batchTime, owner: owner,
                sequence: record.sequence))
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
    private func lose(_ damage: JournalDamage) throws(JournalFailure) {
        guard acceptsLoss else { throw JournalFailure(reader.path, .reading, .damaged(damage)) }
        findings.append(
            Finding(.warning, "\(reader.path): \(damage); the host goes on without what was in there"))
    }
}
