// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Lets quarantined instances reduce the actions they missed, in a child of the host: a trap ends the child alone.
package enum CatchUpChild {
    /// The number of actions between progress reports of the child.
    private static let step = 256

    /// Reads a request from standard input, performs it, and ends the process.
    ///
    /// - Parameter descriptor: where the host listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        HistoryChild.perform(tellingTo: descriptor, result)
    }

    /// Performs a request, and returns the result.
    private static func result(of request: CatchUpRequest, _ tell: (HistoryEvent) -> Void) -> HistoryEvent {
        do {
            let (plan, images) = try HistoryChild.plan(of: request.source)
            let folder = try ScratchFolder()
            defer { withExtendedLifetime(folder) {} }
            let assembler = Assembler(
                cache: images,
                dependencies: .past(at: PastClock(), dataDirectory: folder.path))
            let reader = try JournalReader(folder: request.source.journal)
            var caughtUp: [String: CaughtUp] = [:]
            for instance in request.instances {
                caughtUp[instance.id] = try catchUp(instance, of: plan, by: assembler, from: reader, tell)
            }
            return .answer(try Value(encoding: caughtUp))
        } catch let failure as PastFailure {
            return .failure(failure.sentences)
        } catch {
            return .failure(["\(error)"])
        }
    }

    /// Lets one instance reduce the actions it missed.
    private static func catchUp(
        _ missing: CatchUpRequest.Instance, of plan: HostPlan, by assembler: Assembler,
        from reader: JournalReader,
        _ tell: (HistoryEvent) -> Void
    ) throws -> CaughtUp {
        guard let planned = plan.instances.first(where: { $0.id == missing.id }) else {
            throw PastFailure.child(
                "the current configuration has no instance \(missing.id); reload it first")
        }
        let instance = try assembler.make(
            planned, of: plan, in: StateTree(plain: plan.configuration.state))
        try missing.state?.restore(instance.slice, of: instance.exports)
        let pass = assembler.dependencies.pass
        var lines = RecordedLines()
        var count = 0
        for span in missing.open {
            let cursor = reader.records(from: span.lowerBound, to: span.upperBound)
            while let item = try cursor.next() {
                guard case .record(let record) = item else {
                    if case .damage(let damage) = item {
                        throw PastFailure.child("the journal is damaged: \(damage)")
                    }
                    continue
                }
                guard record.encodingFailure == nil, let action = lines.action(record.bytes),
                    let local = localType(of: action.type.name, in: record, for: planned)
                else { continue }
                if count.isMultiple(of: step) {
                    tell(.step(sequence: record.sequence, type: record.type, origin: planned.id))
                }
                pass.came(at: record.time ?? record.batchTime)
                _ = instance.reduce(action.renamed(ActionType(local)))
                pass.end()
                count += 1
            }
        }
        guard count <= missing.missed else {
            throw PastFailure.child(
                "\(missing.id) would hear \(count.grouped) of those actions, and has missed \(missing.missed.grouped), because its lift or its gate has changed since; undo that change, or release it without --catch-up"
            )
        }
        let state = try instance.slice.value().map {
            VersionedState(version: instance.exports.stateVersion, value: $0)
        }
        return CaughtUp(state: state, count: count)
    }

    /// Returns the name by which an instance would have heard a recorded action; nil where it would not.
    private static func localType(
        of type: String, in record: JournalRecord, for planned: PlannedInstance
    ) -> String? {
        guard case .own = record.cause else { return planned.names.local(of: type) }
        let ids = [planned.id, planned.entry.was].compactMap { $0 }
        guard let owner = record.instance, ids.contains(owner) else { return nil }
        return LiftedNames.strip(owner + "/", from: type)
    }
}
