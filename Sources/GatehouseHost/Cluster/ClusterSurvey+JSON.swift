// SPDX-License-Identifier: Apache-2.0

public import GatehouseCluster
public import GatehouseSDK

extension ClusterSurvey {
    /// The survey for programs; durations are in seconds.
    ///
    /// - Parameter cluster: what the cluster is called.
    public func value(of cluster: String) -> Value {
        let owned = Dictionary(grouping: partitions.compactMap(\.title.owner), by: \.self).mapValues(\.count)
        return [
            "cluster": .string(cluster), "time": .double(time), "deadLetters": Value(dead),
            "members": .array(
                members.map { member in
                    let presence = member.presence
                    return [
                        "name": .string(presence.name), "live": .bool(member.leaseLeft > .zero),
                        "lease": .double(max(.zero, member.leaseLeft) / .seconds(1)),
                        "draining": .bool(member.isDraining),
                        "partitions": Value(owned[presence.name] ?? 0), "plugins": .string(presence.digest),
                        "version": .string(presence.version), "process": Value(presence.process),
                        "started": .double(presence.started),
                    ]
                }),
            "partitions": .array(partitions.enumerated().map { $1.value(of: $0) }),
        ]
    }

    /// How many of the members that live take partitions over.
    var heirs: Int { members.count { $0.leaseLeft > .zero && !$0.isDraining } }

    /// How many partitions a member owns.
    func owned(by member: String) -> Int { partitions.count { $0.title.owner == member } }
}

extension ClusterSurvey.Partition {
    /// The partition for programs; what there is not is null.
    ///
    /// - Parameter number: its number.
    fileprivate func value(of number: Int) -> Value {
        [
            "number": Value(number), "owner": title.owner.map(Value.string) ?? .null,
            "epoch": Value(title.epoch), "offset": .string(offset.description), "lag": Value(lag),
            "waiting": waiting.map { .double($0 / .seconds(1)) } ?? .null,
            "checkpoint": checkpointAge.map { .double($0 / .seconds(1)) } ?? .null,
        ]
    }
}
