// SPDX-License-Identifier: Apache-2.0

public import GatehouseCluster
public import GatehouseValue

extension ClusterSurvey {
    /// The survey as programs read it: `time`, `members`, `partitions` and `deadLetters`, all of which are always there.
    public var json: Members {
        let owned = partitions.reduce(into: [String: Int]()) { counts, partition in
            if let owner = partition.title.owner { counts[owner, default: 0] += 1 }
        }
        return [
            "time": .double(time),
            "members": .array(members.map { $0.json(owning: owned[$0.presence.name] ?? 0) }),
            "partitions": .array(partitions.enumerated().map { $1.json(number: $0) }),
            "deadLetters": Value(dead),
        ]
    }

    /// How many of the members that live take partitions over.
    var heirs: Int { members.count { $0.leaseLeft > .zero && !$0.isDraining } }

    /// How many partitions a member owns.
    func owned(by member: String) -> Int { partitions.count { $0.title.owner == member } }
}

extension ClusterSurvey.Member {
    /// The member and how many partitions it owns.
    fileprivate func json(owning count: Int) -> Value {
        [
            "name": .string(presence.name), "pid": Value(presence.process),
            "version": .string(presence.version), "digest": .string(presence.digest),
            "started": .double(presence.started), "lease": max(leaseLeft, .zero).seconds,
            "draining": .bool(isDraining), "partitions": Value(count),
        ]
    }
}

extension ClusterSurvey.Partition {
    /// The partition with its number.
    fileprivate func json(number: Int) -> Value {
        [
            "partition": Value(number), "owner": title.owner.map { .string($0) } ?? .null,
            "epoch": Value(title.epoch), "offset": .string("\(offset)"), "lag": Value(lag),
            "waiting": waiting?.seconds ?? .null, "checkpoint": checkpointAge?.seconds ?? .null,
        ]
    }
}

extension Duration {
    /// In seconds, to a thousandth of one.
    fileprivate var seconds: Value { .double((self / .milliseconds(1)).rounded() / 1_000) }
}
