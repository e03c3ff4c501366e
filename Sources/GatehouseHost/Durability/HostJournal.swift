// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
public import GatehouseSupport
private import Glibc
private import Synchronization

/// The journal that a run writes: accepts what comes in, records what was reduced, keeps snapshots.
///
/// One object for the life of a run, made before its instances; see `Recovery` for what the run before has left in it.
public final class HostJournal: Sendable {
    /// Whether inputs are committed before they are dispatched.
    let isStrict: Bool
    /// Takes note of what reaches the reducers.
    let recorder: ActionRecorder
    /// A snapshot is taken behind each so many actions.
    let snapshotEvery: UInt64
    /// Writes to the file.
    let writer: JournalWriter
    /// Told of what an operator should know, on any thread.
    let onFinding: @Sendable (Finding) -> Void
    /// The images of its generations.
    let images: KeptImages
    /// The action behind which the last snapshot was taken, the generation that did, and when; nil for before this run.
    private let last: Mutex<(sequence: UInt64, generation: Int, time: ContinuousClock.Instant?)>
    /// How many images are kept, and the bytes that they take.
    private let imageSize = Mutex<(count: Int, bytes: Int)>((0, 0))
    /// What writers call their inputs; asked by the thread that reads.
    private let ids: JournalIDs
    /// Whether it is asked.
    private let looksAtIDs: Bool

    /// Hands over what is recorded when it has waited long enough.
    private let carrier = JournalCarrier()

    /// Opens the journal of a configuration for writing; no other host has it open then.
    ///
    /// - Parameters:
    ///   - folder: the journal's folder.
    ///   - acceptsLoss: whether to continue where something is gone that was promised; it is told to `onFinding`.
    ///   - onFailure: told once when nothing can be written any more, on any thread.
    ///   - onFinding: told of snapshots that come to nothing, on any thread.
    /// - Throws: why it cannot be opened.
    public init(
        _ configuration: JournalConfiguration, folder: String, acceptsLoss: Bool = false,
        onFailure: @escaping @Sendable (JournalFailure) -> Void,
        onFinding: @escaping @Sendable (Finding) -> Void
    ) throws(JournalFailure) {
        var options = JournalWriter.Options(configuration)
        options.acceptsLoss = acceptsLoss
        options.onFailure = onFailure
        options.onFinding = onFinding
        let writer = try JournalWriter(folder: folder, options)
        self.writer = writer
        self.onFinding = onFinding
        images = KeptImages(journal: folder)
        isStrict = configuration.mode == .strict
        snapshotEvery = UInt64(configuration.snapshotEvery)
        let ids = try writer.ids()
        self.ids = ids
        looksAtIDs = ids.isAsked
        last = Mutex((.max, 0, nil))
        let recorder = ActionRecorder(
            after: writer.start.sequence - 1, input: writer.start.input - 1,
            effect: UInt64(writer.epoch) << 32,
            name: writer.name, epoch: UInt64(writer.epoch), buffers: writer.buffers
        ) { [carrier] in
            carrier.notice()
        } take: { batch, onCommit in
            writer.submit(batch, onCommit)
        }
        self.recorder = recorder
        guard carrier.start(handOver: { [weak recorder] in recorder?.handOverNoticed() }) else {
            throw JournalFailure(writer.path, .opening, .system(call: "pthread_create", code: EAGAIN))
        }
    }

    // MARK: - What comes in

    /// Whether there is nothing to be done about an action that was read before it is dispatched.
    @inline(__always)
    func lets(_ action: AnyAction) -> Bool { !isStrict && !(looksAtIDs && action.hasMeta) }

    /// What the writer of an action calls it; nil where it has no name, or names are not looked at.
    func id(of action: AnyAction) -> String? {
        guard looksAtIDs, let meta = action.meta, case .string(let id) = meta["id"] else { return nil }
        return id
    }

    /// Whether nothing of this name has come before; takes note of it. Asked by the thread that reads.
    func isNew(_ id: String) -> Bool { ids.insert(id) }

    /// Takes note of a named action that is dispatched at once, and gives the source that it has then.
    func note(_ action: AnyAction, _ text: ActionText, from source: ActionSource, id: String?) -> ActionSource
    {
        let number = recorder.numbers(forInputs: 1)
        let line = unsafe text.isPayload ? [] : Array(text.bytes)
        recorder.accept([
            line.isEmpty
                ? JournalInput(number: number, source: source, action: action, id: id)
                : JournalInput(number: number, source: source, line: line, id: id)
        ])
        return source.caused(by: ActionCause(.input, number))
    }

    /// Commits what was read, and sleeps until it is on the disk; gives the number of the first.
    func commit(_ accepted: borrowing AcceptedActions) throws(JournalFailure) -> UInt64 {
        let first = recorder.numbers(forInputs: accepted.count)
        try commit(accepted.inputs(from: first))
        return first
    }

    /// Commits actions that were brought, if the journal is strict, and sleeps until they are on the disk; gives their causes.
    func commit(_ actions: [(AnyAction, ActionSource)]) throws(JournalFailure) -> [ActionCause] {
        guard isStrict else { return actions.map { _ in .unknown } }
        let inputs = numbered(actions)
        try commit(inputs)
        return inputs.map { ActionCause(.input, $0.number) }
    }

    /// Commits actions of one client; gives the sources that they have then. The task waits without a thread.
    func commit(_ actions: [AnyAction], from source: ActionSource) async throws(JournalFailure)
        -> [ActionSource]
    {
        let inputs = numbered(actions.map { ($0, source) })
        recorder.accept(inputs)
        let failure = await withCheckedContinuation { waiter in
            recorder.handOver { waiter.resume(returning: $0) }
        }
        if let failure { throw failure }
        return inputs.map { source.caused(by: ActionCause(.input, $0.number)) }
    }

    /// Numbers for actions that were brought.
    private func numbered(_ actions: [(AnyAction, ActionSource)]) -> [JournalInput] {
        let first = recorder.numbers(forInputs: actions.count)
        return actions.enumerated().map { place, input in
            JournalInput(number: first + UInt64(place), source: input.1, action: input.0)
        }
    }

    /// Commits inputs with all that is settled, and sleeps until they are on the disk.
    private func commit(_ inputs: [JournalInput]) throws(JournalFailure) {
        guard !inputs.isEmpty else { return }
        recorder.accept(inputs)
        try commit()
    }

    /// Commits all that is settled, with what was given to the writer before, and sleeps until it is on the disk.
    func commit() throws(JournalFailure) {
        let result = PendingCommit()
        recorder.handOver { result.finish($0) }
        try result.wait()
    }

    // MARK: - Generations, snapshots and the end

    /// Writes down that a generation reduces what comes from here on; called in the drain, before anything does.
    ///
    /// - Parameters:
    ///   - made: the instances whose states are other than the generation before has left.
    ///   - patch: what was merged into the plain state; nil for nothing.
    func begin(_ generation: Generation, by plan: RecordedPlan, made: [Instance], patch: Value?) {
        recorder.handOver()
        hold(for: generation)
        let made = made.compactMap { instance in
            instance.slice.copy().map { (id: instance.id, version: instance.exports.stateVersion, copy: $0) }
        }
        var gates: [String: GateState] = [:]
        for instance in generation.instances where instance.statePointer == nil {
            gates[instance.id] = instance.gate
        }
        let after = recorder.sequence
        writer.begin { [number = generation.number, gates] epoch, time, onFinding in
            var change = GenerationChange(gates: gates, patch: patch)
            for (id, version, copy) in made {
                do throws(CodingFailure) {
                    change.made[id] = VersionedState(version: version, value: try copy())
                } catch {
                    onFinding(
                        Finding(
                            .warning, instance: id,
                            "its state cannot be written as JSON: \(error); after a crash it begins with the state before"
                        ))
                }
            }
            return GenerationRecord(
                epoch: epoch, number: number, after: after, time: time, plan: plan, change: change)
        }
    }

    /// Keeps the images of a plan that is about to run, and removes those that no recorded generation needs; not called in the drain.
    ///
    /// - Parameter running: the plan that runs, whose record may still be on its way; nil for none.
    /// - Returns: what an operator should know.
    public func keepImages(of plan: HostPlan, beside running: HostPlan? = nil) -> [Finding] {
        let findings = images.keep(plan)
        clearImages(keeping: plan.instances + (running?.instances ?? []))
        let size = images.size
        imageSize.withLock { $0 = size }
        return findings
    }

    /// Removes the images that neither a recorded generation needs nor one of some instances.
    private func clearImages(keeping instances: [PlannedInstance]) {
        guard let reader = try? JournalReader(folder: SystemFile.parts(of: writer.path).folder),
            let records = try? reader.generations(), records.damaged.isEmpty
        else { return }
        let digests = records.records.flatMap(\.plan.digests) + instances.compactMap { $0.digest?.hex }
        images.remove(allBut: Set(digests))
    }

    /// Takes note that there is a snapshot of the state with which the run begins, or that there need not be one.
    func beginKept() { last.withLock { $0 = (recorder.sequence, 1, nil) } }

    /// Writes down the state behind the last action, unless that is done; called in the drain, at a rest.
    func snapshot(of generation: Generation, configured: Value) {
        let isNew = last.withLock { last in
            guard last.sequence != recorder.sequence || last.generation != generation.number else {
                return false
            }
            last = (recorder.sequence, generation.number, .now)
            return true
        }
        guard isNew else { return }
        let copy = CopiedState(of: generation, configured: configured)
        recorder.handOver()
        writer.write(
            JournalSnapshot(sequence: recorder.sequence, generation: generation.number) {
                () throws(CodingFailure) in SnapshotContent(try copy.saved())
            })
    }

    /// What there is to know about it; called in the drain.
    var status: JournalStatus {
        let last = last.withLock { $0 }
        let images = imageSize.withLock { $0 }
        return JournalStatus(
            mode: isStrict ? .strict : .relaxed, recorded: recorder.sequence,
            snapshot: last.sequence == .max ? nil : last.sequence,
            snapshotAge: last.time.map { .now - $0 }, bytes: writer.bytes,
            epoch: writer.epoch, images: images.count, imageBytes: images.bytes)
    }

    /// Writes what waits, and lets the next host have the journal.
    public func close() {
        carrier.stop()
        recorder.handOver()
        writer.close()
    }

    /// Why nothing can be written any more; nil while all is well.
    public var failure: JournalFailure? { writer.failure }
}
