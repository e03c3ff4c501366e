// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

extension ClusterCommand {
    /// An action that the engine still has.
    private struct Kept {
        /// Its place in the partition.
        let offset: ClusterOffset
        /// Who put it there; nil for one that was added by hand.
        let origin: ClusterOrigin?
        /// Its bytes.
        let action: [UInt8]
        /// Whether the last checkpoint was written before it.
        let isWaiting: Bool
    }

    /// The most actions read at a time.
    private static let mostRead = 1_000

    /// `gatehouse cluster history`: prints the newest actions of a partition that the engine still has, or those of a key, oldest first.
    ///
    /// - Parameter number: of the partition; nil for that of `key`.
    func printHistory(
        of number: Int?, key: String?, _ cluster: ClusterConfiguration, _ maintainer: any ClusterMaintainer,
        _ shape: ClusterShape
    ) throws(ClusterFailure) -> ExitCode {
        let engine = try maintainer.engine(of: shape)
        let survey = try engine.survey()
        let place = key.map { KeyPlaceText($0, in: survey) }
        let number = number ?? place?.number ?? 0
        if let objection = objection(to: number, cluster, shape) { return objection }
        if let key, let place, place.number != number {
            return .usage.because("the key \(Quotation.bare(key)) belongs to partition \(place.number)")
        }
        let keys = ClusterKeys(cluster, partitions: shape.partitions)
        let processed = survey.partitions[number].offset
        var (kept, total): ([Kept], Int) = ([], 0)
        try engine.readRest(of: number, after: .start, atMost: Self.mostRead) { entry in
            let action = unsafe Array(entry.action)
            if let place {
                guard let found = keys.key(ofWritten: action), place.has(found) else { return }
            }
            total += 1
            kept.append(
                Kept(
                    offset: entry.offset, origin: entry.origin, action: action,
                    isWaiting: processed < entry.offset))
            // Of a long history only the end is held.
            if kept.count > 2 * limit { kept.removeFirst(kept.count - limit) }
        }
        let newest = Array(kept.suffix(limit))
        Results.write(
            [
                "partition": Value(number), "actions": .array(newest.map(Self.value)), "kept": Value(total),
            ], or: Self.text(newest, of: total, in: number, cluster), isJSON: options.isJSON)
        return .success
    }

    /// An action for programs; its time is that of its arrival, in seconds since 1970.
    private static func value(_ kept: Kept) -> Value {
        var value: Members = [
            "offset": .string("\(kept.offset)"), "time": .double(Double(kept.offset.high) / 1_000),
            "waiting": .bool(kept.isWaiting),
        ]
        value["origin"] = kept.origin.map { .string("\($0)") }
        if let action = try? JSONText.parse(kept.action) {
            value["action"] = action
        } else {
            value["text"] = .string(String(decoding: kept.action, as: UTF8.self))
        }
        return .object(value)
    }

    /// A line for each action, and how many there are when not all are shown.
    private static func text(
        _ newest: [Kept], of total: Int, in number: Int, _ cluster: ClusterConfiguration
    ) -> String {
        guard !newest.isEmpty else {
            let advice =
                cluster.history > 0 ? "" : "; \"history\" in \"cluster\" says for how long it keeps them"
            return "the engine has no actions of this in partition \(number)\(advice)\n"
        }
        let lines = newest.map { kept in
            let action = try? JSONText.parse(kept.action)
            let type = Quotation.bare(action?["type"]?.stringValue ?? "no action")
            let payload = action?["payload"].map { "  " + $0.json() } ?? ""
            return "\(kept.offset)  \(UnixTime.text(Double(kept.offset.high) / 1_000))  \(type)\(payload)"
                + (kept.isWaiting ? "  (waits)" : "") + "\n"
        }
        let rest = newest.count < total ? "\(newest.count) of \(total) actions in partition \(number)\n" : ""
        return lines.joined() + rest
    }
}
