// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// A past generation in this process, with one of its states: its reducers go over a journal's actions, and nothing else in it
/// runs; used from one thread.
final class PastGeneration {
    /// The private store.
    private let store: HostStore
    /// Reads the journal.
    private let reader: JournalReader
    /// Whether to skip damaged actions.
    private let acceptsLoss: Bool
    /// The last action included in the state.
    private(set) var sequence: UInt64
    /// The number of actions reduced.
    private(set) var count = 0
    /// Diagnostics for the operator.
    private(set) var diagnostics: [Diagnostic]
    /// The instances that are suspended from some action on, each with the last one that it reduced.
    private var fallen: [FallenInstance]
    /// The instance whose worker has died or does not answer, after which the state is of no use; nil where none was needed, and where all
    /// is well.
    private(set) var broken: FallenInstance?
    /// How many actions workers are given before their answers are awaited.
    private static let stride = 1_024
    /// Whether an action without its payload was reported.
    private var isMisread = false

    /// Makes the instances of a plan with a state.
    ///
    /// - Parameters:
    ///   - sequence: the last action included in the state.
    ///   - leavesUnread: whether to leave out an instance that does not accept its state, and keep the state.
    ///   - fallen: instances that are suspended from some action on.
    /// - Throws: why they cannot be made.
    init(
        _ plan: HostPlan, having state: SavedState, at sequence: UInt64, in reader: JournalReader,
        by assembler: Assembler, leavingUnread leavesUnread: Bool = false,
        fallen: [FallenInstance] = [], acceptsLoss: Bool
    ) throws(Diagnostics) {
        let assembly = try assembler.assemble(
            plan, restoring: state, behind: sequence, leavingUnread: leavesUnread)
        diagnostics = assembly.unread
        store = HostStore(assembly, StoreTerms(report: assembler.dependencies.report))
        self.reader = reader
        self.sequence = sequence
        self.acceptsLoss = acceptsLoss
        self.fallen = fallen
    }

    /// Reduces the following actions.
    ///
    /// - Parameters:
    ///   - last: the last action to reduce.
    ///   - onAction: called with the number of each action before it is reduced.
    /// - Throws: why an action cannot be read.
    func advance(to last: UInt64, onAction: @escaping (UInt64) -> Void = { _ in }) throws(JournalFailure) {
        guard last > sequence else { return }
        let cursor = try reader.wholeRecords(from: sequence + 1, to: last)
        var lines = RecordedLines()
        var isDone = false
        while !isDone, broken == nil {
            let before = sequence
            let copies = try store.queue.withExclusiveAccess { [self] in
                Result { () throws(JournalFailure) -> [(id: String, copy: SliceCopy)] in
                    guard let generation = store.generation else {
                        isDone = true
                        return []
                    }
                    generation.setReplaying(true)
                    defer { generation.setReplaying(false) }
                    let workers = generation.instances.filter { $0.worker != nil }
                    var left = workers.isEmpty ? Int.max : Self.stride
                    while left > 0, !isDone {
                        switch try cursor.next() {
                        case .damage(let damage)?: try lose(damage)
                        case .record(let record)?:
                            onAction(record.sequence)
                            reduce(record, &lines, in: generation)
                            left -= 1
                        case nil: isDone = true
                        }
                    }
                    return workers.compactMap { worker in worker.slice.copy().map { (worker.id, $0) } }
                }
            }.get()
            for (id, copy) in copies where broken == nil { wait(for: copy, of: id, behind: before) }
        }
        if broken == nil { sequence = max(sequence, last) }
    }

    /// Waits until the worker of an instance has reduced all that it was given.
    ///
    /// - Parameter before: the last action that it had reduced before.
    private func wait(for copy: SliceCopy, of id: String, behind before: UInt64) {
        guard let instance = instance(id), let worker = instance.worker else { return }
        let subject = "worker of the installed version \(instance.planned.match?.version.name ?? "")"
        do throws(CodingFailure) {
            _ = try copy()
        } catch {
            broken = FallenInstance(
                id: id, at: before, reason: "got no answer of its \(subject): \(error.found), or soon after")
        }
        if worker.standing.deaths > 0 || worker.standing.isGivenUp != nil {
            broken = FallenInstance(id: id, at: before, reason: "ended its \(subject), or soon after")
        }
    }

    /// The instance with an id.
    private func instance(_ id: String) -> Instance? {
        store.queue.withExclusiveAccess { [store] in store.generation?.instances.first { $0.id == id } }
    }

    /// Returns the current state.
    ///
    /// - Throws: when a plugin's state does not encode.
    func saved(configured: Value) throws(CodingFailure) -> SavedState {
        try store.queue.withExclusiveAccess { [store] in
            store.generation.map { CopiedState(of: $0, configured: configured) }
        }?.saved() ?? .empty
    }

    /// Closes the store, and ends workers.
    func close() {
        store.queue.withExclusiveAccess { [store] in
            for instance in store.generation?.instances ?? [] { instance.worker?.end() }
            store.close()
        }
    }

    // MARK: - Implementation details

    /// Reduces one action.
    private func reduce(_ record: JournalRecord, _ lines: inout RecordedLines, in generation: Generation) {
        sequence = record.sequence
        count += 1
        for one in fallen where one.at < record.sequence {
            generation.instances.first { $0.id == one.id }?.fall(at: one.at)
        }
        fallen.removeAll { $0.at < record.sequence }
        guard record.encodingFailure == nil, let action = lines.action(record.bytes) else {
            if !isMisread { tellMisread(record) }
            isMisread = true
            return
        }
        var owner: String?
        if case .own = record.cause { owner = record.instance }
        generation.replay(
            ReplayedAction(
                action: action, time: record.time ?? record.batchTime, owner: owner,
                sequence: record.sequence))
    }

    /// Reports an action that was recorded without its payload.
    private func tellMisread(_ record: JournalRecord) {
        diagnostics.append(
            Diagnostic(
                .warning,
                "\(reader.path): the action \(record.sequence), \(record.type), is without its payload, which could not be written as JSON: \(record.encodingFailure ?? "it is no action"); reducers may treat such actions differently than before"
            ))
    }

    /// Skips damaged data, if loss is accepted.
    private func lose(_ damage: JournalDamage) throws(JournalFailure) {
        guard acceptsLoss else { throw JournalFailure(reader.path, .reading, .damaged(damage)) }
        diagnostics.append(
            Diagnostic(.warning, "\(reader.path): \(damage); the host continues without its content"))
    }
}
