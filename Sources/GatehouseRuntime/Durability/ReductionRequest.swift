// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK

/// A request to a child to reduce actions, and where to leave the result.
struct ReductionRequest {
    /// The actions, and the generation that reduces them.
    let reduction: PastReduction
    /// The instances that are suspended from an action on.
    let fallen: [FallenInstance]
    /// Whether to refuse files that their group may write to.
    let isStrict: Bool
    /// The file of the child's flight recorder.
    let flightRecorder: Int32
    /// The file in which the child leaves the state.
    let result: Int32

    /// Creates a request from its parts.
    init(
        reduction: PastReduction, fallen: [FallenInstance], isStrict: Bool, flightRecorder: Int32,
        result: Int32
    ) {
        self.reduction = reduction
        self.fallen = fallen
        self.isStrict = isStrict
        self.flightRecorder = flightRecorder
        self.result = result
    }

    /// The request as the child reads it.
    var bytes: [UInt8] {
        let value: Value = [
            "journal": .string(reduction.journal), "record": reduction.record.value,
            "state": reduction.state.value,
            "epoch": Value(reduction.record.epoch), "number": Value(reduction.record.number),
            "after": .unsigned(reduction.after), "last": .unsigned(reduction.last),
            "acceptsLoss": .bool(reduction.acceptsLoss),
            "leavesUnread": .bool(reduction.leavesUnread),
            "strict": .bool(isStrict), "box": Value(Int(flightRecorder)), "result": Value(Int(result)),
            "fallen": .array(
                fallen.map { ["id": .string($0.id), "at": .unsigned($0.at), "reason": .string($0.reason)] }),
        ]
        return Array(value.json().utf8)
    }

    /// Reads a request; nil for anything a host does not write.
    init?(bytes: [UInt8]) {
        guard let value = try? JSONText.parse(bytes), let journal = value["journal"]?.stringValue,
            let content = value["record"], let epoch = value["epoch"]?.intValue,
            let number = value["number"]?.intValue, let after = value["after"]?.wholeNumber,
            let record = try? GenerationRecord(
                id: 0, epoch: epoch, number: number, after: after, time: 0, content),
            let state = value["state"].flatMap({ try? SavedState($0) }),
            let last = value["last"]?.wholeNumber,
            let flightRecorder = value["box"]?.intValue, let result = value["result"]?.intValue,
            let fallen = value["fallen"]?.arrayValue
        else { return nil }
        self.init(
            reduction: PastReduction(
                journal: journal, record: record, state: state, after: after, last: last,
                acceptsLoss: value["acceptsLoss"] == true, leavesUnread: value["leavesUnread"] == true),
            fallen: fallen.compactMap {
                guard let id = $0["id"]?.stringValue, let at = $0["at"]?.wholeNumber else { return nil }
                return FallenInstance(id: id, at: at, reason: $0["reason"]?.stringValue ?? "")
            }, isStrict: value["strict"] == true, flightRecorder: Int32(flightRecorder), result: Int32(result)
        )
    }
}
