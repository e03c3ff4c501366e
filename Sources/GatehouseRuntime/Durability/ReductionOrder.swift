// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK

/// A child's order of actions to reduce, and of where to leave the result.
struct ReductionOrder {
    /// The actions, and the generation that reduces them.
    let job: PastJob
    /// The instances that are suspended from an action on.
    let fallen: [FallenInstance]
    /// Whether to refuse files that their group may write to.
    let isStrict: Bool
    /// The file of the child's black box.
    let box: Int32
    /// The file in which the child leaves the state.
    let result: Int32

    /// Creates an order from its parts.
    init(job: PastJob, fallen: [FallenInstance], isStrict: Bool, box: Int32, result: Int32) {
        self.job = job
        self.fallen = fallen
        self.isStrict = isStrict
        self.box = box
        self.result = result
    }

    /// The order as the child reads it.
    var bytes: [UInt8] {
        let value: Value = [
            "journal": .string(job.journal), "record": job.record.value, "state": job.state.value,
            "epoch": Value(job.record.epoch), "number": Value(job.record.number),
            "after": .unsigned(job.after), "last": .unsigned(job.last), "acceptsLoss": .bool(job.acceptsLoss),
            "leavesUnread": .bool(job.leavesUnread),
            "strict": .bool(isStrict), "box": Value(Int(box)), "result": Value(Int(result)),
            "fallen": .array(
                fallen.map { ["id": .string($0.id), "at": .unsigned($0.at), "reason": .string($0.reason)] }),
        ]
        return Array(value.json().utf8)
    }

    /// Reads an order; nil for anything a host does not write.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes), let journal = value["journal"]?.stringValue,
            let content = value["record"], let epoch = value["epoch"]?.intValue,
            let number = value["number"]?.intValue, let after = value["after"]?.wholeNumber,
            let record = try? GenerationRecord(
                id: 0, epoch: epoch, number: number, after: after, time: 0, content),
            let state = value["state"].flatMap({ try? SavedState($0) }),
            let last = value["last"]?.wholeNumber,
            let box = value["box"]?.intValue, let result = value["result"]?.intValue,
            let fallen = value["fallen"]?.arrayValue
        else { return nil }
        self.init(
            job: PastJob(
                journal: journal, record: record, state: state, after: after, last: last,
                acceptsLoss: value["acceptsLoss"] == true, leavesUnread: value["leavesUnread"] == true),
            fallen: fallen.compactMap {
                guard let id = $0["id"]?.stringValue, let at = $0["at"]?.wholeNumber else { return nil }
                return FallenInstance(id: id, at: at, reason: $0["reason"]?.stringValue ?? "")
            }, isStrict: value["strict"] == true, box: Int32(box), result: Int32(result))
    }
}
