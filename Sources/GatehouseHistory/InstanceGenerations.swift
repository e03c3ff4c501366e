// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK

/// The generations in which one instance changed, the newest first, as far back as a journal keeps them.
struct InstanceGenerations {
    /// A generation in which it changed.
    struct Step {
        /// The generation.
        let record: GenerationRecord
        /// Its name there.
        let id: String
        /// Its library from then on; nil where the generation does not have it.
        let library: RecordedPlan.Library?
        /// What changed, in a few words each.
        let changes: [String]
    }

    /// The generations.
    let steps: [Step]

    /// Finds the generations in which an instance changed.
    ///
    /// - Parameter records: the generations in the order in which they ran.
    init(of id: String, in records: [GenerationRecord]) {
        var steps: [Step] = []
        // Backwards, because an entry says what it was called before.
        var name = id
        for index in records.indices.reversed() {
            let record = records[index]
            let before = index > 0 ? records[index - 1].plan : nil
            let entry = record.plan.entries.first { $0.id == name }
            var former = name
            if let was = entry?.was, before?.libraries[name] == nil, before?.libraries[was] != nil {
                former = was
            }
            let changes = Self.changes(
                from: before.map { ($0, former) }, to: record.plan, entry,
                library: record.plan.libraries[name])
            if !changes.isEmpty {
                steps.append(
                    Step(record: record, id: name, library: record.plan.libraries[name], changes: changes))
            }
            name = former
        }
        self.steps = steps
    }

    /// Says what changed of an instance between two generations; nothing where neither has it.
    private static func changes(
        from before: (plan: RecordedPlan, id: String)?, to plan: RecordedPlan,
        _ entry: InstanceConfiguration?, library: RecordedPlan.Library?
    ) -> [String] {
        let old = before.flatMap { before in before.plan.entries.first { $0.id == before.id } }
        guard let entry, let library else { return old == nil ? [] : ["stopped"] }
        guard let before, let old, let oldLibrary = before.plan.libraries[before.id] else {
            return [before == nil ? "as the journal first knows it" : "started"]
        }
        var changes: [String] = []
        if before.id != entry.id { changes.append("renamed from \(before.id)") }
        if oldLibrary.digest != library.digest {
            if oldLibrary.plugin != library.plugin {
                changes.append("plugin \(library.plugin) in place of \(oldLibrary.plugin)")
            } else if oldLibrary.version != library.version {
                changes.append("version \(oldLibrary.version) by \(library.version)")
            } else {
                changes.append("new bytes of version \(library.version)")
            }
        }
        switch (oldLibrary.quarantine, library.quarantine) {
        case (nil, let reason?): changes.append("put in quarantine: \(reason)")
        case (.some, nil): changes.append("let out of quarantine")
        default: break
        }
        let (from, to) = (old.value.objectValue ?? [:], entry.value.objectValue ?? [:])
        let keys = Set(from.keys).union(to.keys).subtracting(["id", "was", "library"])
        let differing = keys.filter { from[$0] != to[$0] }.sorted()
        if !differing.isEmpty { changes.append("other \(differing.joined(separator: ", "))") }
        return changes
    }
}

extension InstanceGenerations.Step {
    /// The generation as the control socket writes it.
    var value: Value {
        var members: Members = [
            "run": Value(record.epoch), "generation": Value(record.number), "after": Value(record.after),
            "time": .double(record.time), "id": .string(id),
            "changes": .array(changes.map(Value.string)),
        ]
        if let library {
            members["plugin"] = .string(library.plugin)
            members["version"] = .string(library.version)
            members["digest"] = .string(library.digest)
        }
        members["gate"] = record.change.gates[id].map { .string($0.word) }
        return .object(members)
    }
}
