// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
package import GatehouseSDK

extension ClusterSurvey {
    /// Returns the survey for programs; durations are in seconds.
    ///
    /// - Parameter cluster: the name of the cluster.
    package func value(of cluster: String) -> Value {
        let owned = Dictionary(grouping: partitions.compactMap(\.title.owner), by: \.self).mapValues(\.count)
        var value: Members = [
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
        value["engine"] = server?.value
        return .object(value)
    }

    /// The number of live members that take partitions over.
    var heirs: Int { members.count { $0.leaseLeft > .zero && !$0.isDraining } }

    /// Returns the number of partitions that a member owns.
    func owned(by member: String) -> Int { partitions.count { $0.title.owner == member } }
}

extension ClusterSurvey.Server {
    /// The server for programs; durations are in seconds.
    fileprivate var value: Value {
        [
            "address": .string(address),
            "replicas": .array(
                replicas.map { replica in
                    [
                        "address": .string(replica.address), "online": .bool(replica.isOnline),
                        "behind": Value(replica.behind), "silence": .double(replica.silence / .seconds(1)),
                    ]
                }),
        ]
    }
}

extension ClusterSurvey.Partition {
    /// Returns the partition for programs; missing values are null.
    ///
    /// - Parameter number: the partition's number.
    fileprivate func value(of number: Int) -> Value {
        [
            "number": Value(number), "owner": title.owner.map(Value.string) ?? .null,
            "epoch": Value(title.epoch), "offset": .string(offset.description), "lag": Value(lag),
            "waiting": waiting.map { .double($0 / .seconds(1)) } ?? .null,
            "checkpoint": checkpointAge.map { .double($0 / .seconds(1)) } ?? .null,
        ]
    }
}
