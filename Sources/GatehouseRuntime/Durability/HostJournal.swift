// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseLibrary
internal import GatehouseManifest
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport
private import Glibc
private import Synchronization

/// The journal that a run writes: accepts input, records reduced actions, keeps snapshots.
///
/// One object for the life of a run, created before its instances; see `Recovery` for the remains of the previous run.
package final class HostJournal: Sendable {
    /// Whether inputs are committed before they are dispatched.
    package let isStrict: Bool
    /// The folder of the journal.
    package let folder: String
    /// Records the actions that reach the reducers.
    package let recorder: ActionRecorder
    /// The number of actions between snapshots.
    package let snapshotEvery: UInt64
    /// Writes to the file.
    package let writer: JournalWriter
    /// Called with diagnostics for the operator, on any thread.
    package let onDiagnostic: @Sendable (Diagnostic) -> Void
    /// The images of the journal's generations.
    package let images: KeptImages
    /// The action after which the last snapshot was taken, its generation, and when; nil for before this run.
    private let last: Mutex<(sequence: UInt64, generation: Int, time: ContinuousClock.Instant?)>
    /// The number of kept images, and their size in bytes.
    private let imageSize = Mutex<(count: Int, bytes: Int)>((0, 0))
    /// The writers' ids of inputs; used by the thread that reads.
    private let ids: JournalIDs
    /// Whether ids are used.
    private let looksAtIDs: Bool

    /// Whether actions of clients have to wait.
    private let standsStill = Mutex(false)

    /// Hands recorded actions over once they have waited long enough.
    private let flusher = JournalFlusher()

    /// Opens the journal of a configuration for writing; no other host can have it open then.
    ///
    /// - Parameters:
    ///   - folder: the journal's folder.
    ///   - acceptsLoss: whether to continue where promised data is gone; this is reported to `onDiagnostic`.
    ///   - system: the name of SQLite's way to the system; nil for the usual one.
    ///   - disk: writes the promise beside the journal.
    ///   - onFailure: called once when nothing can be written any more, on any thread.
    ///   - onDiagnostic: called with failures of snapshots, on any thread.
    /// - Throws: why it cannot be opened.
    package init(
        _ configuration: JournalConfiguration, folder: String, acceptsLoss: Bool = false,
        system: String? = nil, on disk: DiskCalls = .system,
        onFailure: @escaping @Sendable (JournalFailure) -> Void,
        onDiagnostic: @escaping @Sendable (Diagnostic) -> Void
    ) throws(JournalFailure) {
        var options = JournalWriter.Options(configuration)
        options.acceptsLoss = acceptsLoss
        (options.system, options.disk) = (system, disk)
        options.onFailure = onFailure
        options.onDiagnostic = onDiagnostic
        let writer = try JournalWriter(folder: folder, options)
        self.writer = writer
        self.onDiagnostic = onDiagnostic
        self.folder = folder
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
        ) { [flusher] in
            flusher.notice()
        } take: { batch, onCommit in
            writer.submit(batch, onCommit)
        }
        self.recorder = recorder
        guard flusher.start(handOver: { [weak recorder] in recorder?.handOverNoticed() }) else {
            throw JournalFailure(writer.path, .opening, .system(call: "pthread_create", code: EAGAIN))
        }
    }

    // MARK: - What comes in

    /// Whether an action that was read can be dispatched without further work.
    @inline(__always)
    package func lets(_ action: AnyAction) -> Bool { !isStrict && !(looksAtIDs && action.hasMeta) }

    /// Returns the writer's id of an action; nil where it has none, or ids are not used.
    package func id(of action: AnyAction) -> String? {
        guard looksAtIDs, let meta = action.meta, case .string(let id) = meta["id"] else { return nil }
        return id
    }

    /// Records an id; returns whether it is new; called by the thread that reads.
    package func isNew(_ id: String) -> Bool { ids.insert(id) }

    /// Records an action with an id that is dispatched at once; returns its new source.
    package func note(_ action: AnyAction, _ text: ActionText?, from source: ActionSource, id: String?)
        -> ActionSource
    {
        let number = recorder.numbers(forInputs: 1)
        let line = text.map { unsafe $0.isPayload ? [] : Array($0.bytes) } ?? []
        recorder.accept([
            line.isEmpty
                ? JournalInput(number: number, source: source, action: action, id: id)
                : JournalInput(number: number, source: source, line: line, id: id)
        ])
        return source.caused(by: ActionCause(.input, number))
    }

    /// Commits actions that were read, and sleeps until they are on disk; returns the number of the first.
    package func commit(_ accepted: borrowing AcceptedActions) throws(JournalFailure) -> UInt64 {
        let first = recorder.numbers(forInputs: accepted.count)
        recorder.accept(accepted.inputs(from: first))
        try commit()
        return first
    }

    /// Commits the actions of one client, waiting without a thread; returns their new sources, nil while the host stands still, and once
    /// another process goes on.
    package func commit(_ actions: [AnyAction], from source: ActionSource) async throws(JournalFailure)
        -> [ActionSource]?
    {
        let committed = await withCheckedContinuation { waiter in
            // With its commit, so that a host that stands still from here on has both.
            standsStill.withLock { standsStill in
                guard !standsStill else { return waiter.resume(returning: nil as Committed?) }
                let inputs = accept(actions, from: source)
                recorder.handOver { waiter.resume(returning: (inputs, $0)) }
            }
        }
        guard let (inputs, failure) = committed else { return nil }
        if let failure { throw failure }
        return inputs.map { source.caused(by: ActionCause(.input, $0.number)) }
    }

    /// Accepted inputs, and why they are not on disk; nil where they are.
    private typealias Committed = (inputs: [JournalInput], failure: JournalFailure?)

    /// Accepts the actions of one client.
    private func accept(_ actions: [AnyAction], from source: ActionSource) -> [JournalInput] {
        let first = recorder.numbers(forInputs: actions.count)
        let inputs = actions.enumerated().map { place, action in
            JournalInput(number: first + UInt64(place), source: source, action: action)
        }
        recorder.accept(inputs)
        return inputs
    }

    /// Whether actions of clients have to wait.
    package var isStandingStill: Bool { standsStill.withLock { $0 } }

    /// Accepts no actions of clients from here on, so that the next commit has all of them.
    package func standStill() { standsStill.withLock { $0 = true } }

    /// Accepts actions of clients again.
    package func goOn() { standsStill.withLock { $0 = false } }

    /// Lets committed inputs be over of which nothing follows; called in the drain, at a rest.
    ///
    /// - Parameter sources: what `commit` has returned.
    package func withdraw(_ sources: [ActionSource]) {
        for source in sources { recorder.finish(source.cause, isIdle: true) }
    }

    /// Commits everything settled, with earlier data of the writer, and sleeps until it is on disk.
    package func commit() throws(JournalFailure) {
        let result = PendingCommit()
        recorder.handOver { result.finish($0) }
        try result.wait()
    }

    // MARK: - Generations, snapshots and the end

    /// Records that a generation reduces all further actions; called in the drain, before it reduces any.
    ///
    /// - Parameters:
    ///   - made: the instances whose states differ from those that the previous generation left.
    ///   - patch: the patch merged into the plain state; nil for none.
    ///   - restored: what no instance owns, where the generation has come back; nil where it is new.
    package func begin(
        _ generation: Generation, by plan: RecordedPlan, made: [Instance], patch: Value?,
        restored: PlainState? = nil
    ) {
        recorder.handOver()
        hold(for: generation)
        let copies = made.compactMap { instance in
            instance.slice.copy().map { (id: instance.id, version: instance.exports.stateVersion, copy: $0) }
        }
        var change = GenerationChange(patch: patch)
        for instance in generation.instances where instance.statePointer == nil {
            change.gates[instance.id] = instance.gate
        }
        change.restored = restored
        for instance in made {
            change.standings[instance.id] = instance.standing?.value
            if instance.slice.isEmpty { change.stateless.insert(instance.id) }
        }
        let after = recorder.sequence
        writer.begin { [number = generation.number, change] epoch, time, onDiagnostic in
            var change = change
            for (id, version, copy) in copies {
                do throws(CodingFailure) {
                    change.made[id] = VersionedState(version: version, value: try copy())
                } catch {
                    onDiagnostic(
                        Diagnostic(
                            .warning, instance: id,
                            "its state cannot be written as JSON: \(error); after a crash it begins with the state before"
                        ))
                }
            }
            return GenerationRecord(
                epoch: epoch, number: number, after: after, time: time, plan: plan, change: change)
        }
    }

    /// Keeps the images of a plan about to run, and removes those that no recorded generation needs; not called in the drain.
    ///
    /// - Parameter running: the running plan, whose record may not be written yet; nil for none.
    /// - Returns: diagnostics for the operator.
    package func keepImages(of plan: HostPlan, beside running: HostPlan? = nil) -> [Diagnostic] {
        let diagnostics = images.keep(plan)
        clearImages(keeping: plan.instances + (running?.instances ?? []))
        let size = images.size
        imageSize.withLock { $0 = size }
        return diagnostics
    }

    /// Removes the images that neither a recorded generation nor one of the instances needs.
    private func clearImages(keeping instances: [PlannedInstance]) {
        guard let reader = try? JournalReader(folder: SystemFile.parts(of: writer.path).folder),
            let records = try? reader.generations(), records.damaged.isEmpty
        else { return }
        let digests = records.records.flatMap(\.plan.digests) + instances.compactMap { $0.digest?.hex }
        images.remove(allBut: Set(digests))
    }

    /// Records that the run's initial state has a snapshot, or needs none.
    package func beginKept() { last.withLock { $0 = (recorder.sequence, 1, nil) } }

    /// Writes a snapshot of the state after the last action, unless there is one; called in the drain between two actions.
    ///
    /// There is none while something waits that follows from that action: no batch has the action yet.
    package func snapshot(of generation: Generation, configured: Value) {
        if generation.queue.isSettled { recorder.catchUp() }
        guard !recorder.isBehind else { return }
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
                () throws(CodingFailure) in try copy.saved()
            })
    }

    /// The journal's status; called in the drain.
    package var status: JournalStatus {
        let last = last.withLock { $0 }
        let images = imageSize.withLock { $0 }
        return JournalStatus(
            mode: isStrict ? .strict : .relaxed, recorded: recorder.sequence,
            snapshot: last.sequence == .max ? nil : last.sequence,
            snapshotAge: last.time.map { .now - $0 }, bytes: writer.bytes,
            epoch: writer.epoch, images: images.count, imageBytes: images.bytes)
    }

    /// Writes waiting data, and releases the journal to the next host.
    package func close() {
        flusher.stop()
        recorder.handOver()
        writer.close()
    }

    /// Why nothing can be written any more; nil without a failure.
    package var failure: JournalFailure? { writer.failure }
}

extension HostJournal {
    /// Has a warning sent before missed actions of quarantined instances go; in each generation's drain.
    package func hold(for generation: Generation) {
        let standing = generation.instances.compactMap { instance in
            instance.standing.map { (id: instance.id, at: $0.value.at) }
        }
        guard let first = standing.map(\.at).min() else { return writer.hold(from: nil) }
        writer.hold(from: first + 1) { [onDiagnostic] last in
            onDiagnostic(Self.removal(of: last, missedBy: standing.filter { $0.at < last }.map(\.id)))
        }
    }

    /// Returns the warning before the removal of actions that quarantined instances may have missed.
    static func removal(of last: UInt64, missedBy ids: [String]) -> Diagnostic {
        Diagnostic(
            .warning,
            "the journal is about to remove actions up to \(last.grouped), as its limits say; those that \(ids.joined(separator: ", ")) missed in quarantine are then lost: let \(ids.count == 1 ? "it" : "them") catch up with gatehouse ctl release --catch-up, or raise \"keep\""
        )
    }
}

/// The status of a running host's journal.
package struct JournalStatus: Equatable, Sendable {
    /// Whether inputs are committed before they are dispatched.
    package var mode: JournalMode
    /// The number of the last action that reached the reducers; in relaxed mode it may not be on disk yet.
    package var recorded: UInt64
    /// The action after which the last snapshot of the state was taken in this run; nil before the first.
    package var snapshot: UInt64?
    /// The age of that snapshot; nil before the first.
    package var snapshotAge: Duration?
    /// The size of the files in bytes.
    package var bytes: Int
    /// How often the journal was opened for writing.
    package var epoch: Int
    /// The number of kept images of generations.
    package var images: Int
    /// Their size in bytes.
    package var imageBytes: Int

    /// The status as the control socket writes it.
    package var value: Value {
        [
            "mode": .string(mode.rawValue), "recorded": Value(Int(clamping: recorded)),
            "snapshot": snapshot.map { Value(Int(clamping: $0)) } ?? .null,
            "snapshotAge": snapshotAge.map { .double($0 / .seconds(1)) } ?? .null, "bytes": Value(bytes),
            "epoch": Value(epoch),
            "images": ["kept": Value(images), "bytes": Value(imageBytes)],
        ]
    }
}
