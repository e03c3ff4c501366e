// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
internal import GatehouseSupport
internal import GatehouseValue

/// What a member knows of its cluster without asking the engine, and its own counts since the start.
package struct ClusterAccount: Equatable, Sendable {
    /// The name of the cluster.
    package var name = ""
    /// The name by which the cluster knows the member.
    package var member = ""
    /// How many partitions the cluster has.
    package var partitions = 0
    /// The members present at the last renewal, this one included.
    package var members = 0
    /// The members that must own nothing, including absent ones.
    package var draining: Set<String> = []
    /// How many partitions the member owns.
    package var owned = 0
    /// How many partitions the member should own.
    package var intended = 0
    /// How many of its partitions have their instances.
    package var running = 0
    /// Why the engine fails requests; nil while it works.
    package var trouble: String?
    /// The server that the member writes to, or did last; nil before the first connection, and for an engine without one.
    package var server: ClusterServer?
    /// Actions the member has appended to partitions, its own and those of others.
    package var appended = 0
    /// Actions the member has taken from its partitions.
    package var taken = 0
    /// Actions dropped as duplicates of ones already taken.
    package var duplicates = 0
    /// Outputs of the member's partitions for others.
    package var outputs = 0
    /// Checkpoints the member has written.
    package var checkpoints = 0
    /// The time that all checkpoints took together.
    package var checkpointTime = Duration.zero
    /// Partitions that another member acquired while this one believed it owned them.
    package var fenced = 0
    /// Partitions handed over in good order.
    package var handOvers = 0
    /// Effects under way in the member's partitions.
    package var effects = 0
    /// What has become of the effects of partitions that came or went.
    package var leftEffects = LeftEffects()

    /// Creates the account of a member that has done nothing.
    package init() {}

    /// Why the member does not do its share, as sentences; none for one that is ready, or drained.
    package var obstacles: [String] {
        var obstacles = trouble.map { [$0] } ?? []
        if members == 0 {
            obstacles.append("the engine has not confirmed the lease of \(member) yet")
        } else if intended > 0, min(owned, running) == 0 {
            obstacles.append(
                "\(member) runs none of the \(Counted.text(intended, "partition")) that fall to it")
        }
        return obstacles
    }

    /// The account as the control socket writes it.
    var value: Value {
        var value: Members = [
            "name": .string(name), "member": .string(member), "partitions": Value(partitions),
            "members": Value(members), "owned": Value(owned), "ready": .bool(obstacles.isEmpty),
            "obstacles": .array(obstacles.map(Value.string)), "draining": .bool(draining.contains(member)),
            "appended": Value(appended), "taken": Value(taken), "duplicates": Value(duplicates),
            "outputs": Value(outputs),
            "checkpoints": ["count": Value(checkpoints), "seconds": .double(checkpointTime / .seconds(1))],
            "fenced": Value(fenced), "handOvers": Value(handOvers),
            "effects": leftEffects.value(running: effects),
        ]
        value["trouble"] = trouble.map { .string($0) }
        value["engine"] = server.map { server in
            var value: Members = [
                "address": .string(server.address), "replicas": Value(server.replicas),
                "seconds": .double(server.since.duration(to: .now) / .seconds(1)),
            ]
            value["former"] = server.former.map { .string($0) }
            return .object(value)
        }
        return .object(value)
    }
}
