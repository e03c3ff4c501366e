// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What a member knows of its cluster without asking the engine, and what it has done in it since its start.
public struct ClusterAccount: Equatable, Sendable {
    /// The name of the cluster.
    public var name = ""
    /// The name by which the cluster knows the member.
    public var member = ""
    /// How many partitions the cluster has.
    public var partitions = 0
    /// The members that were there at the last renewal, this one included.
    public var members = 0
    /// The members that are to own nothing, also such as are not there.
    public var draining: Set<String> = []
    /// How many partitions the member owns.
    public var owned = 0
    /// Why the engine does not do what is asked; nil while it does.
    public var trouble: String?
    /// Actions that it has put into partitions, its own and those of others.
    public var appended = 0
    /// Actions that it has taken from its partitions.
    public var taken = 0
    /// Actions that it has dropped because they had been taken before.
    public var duplicates = 0
    /// Outputs of its partitions for others.
    public var outputs = 0
    /// Checkpoints that it has written.
    public var checkpoints = 0
    /// How long all of them took together.
    public var checkpointTime = Duration.zero
    /// Partitions that others had acquired while it thought that they were its own.
    public var fenced = 0
    /// Partitions that it has handed over in good order.
    public var handOvers = 0

    /// A member that has done nothing.
    public init() {}

    /// The account as the control socket tells it.
    public var value: Value {
        var value: Members = [
            "name": .string(name), "member": .string(member), "partitions": Value(partitions),
            "members": Value(members), "owned": Value(owned), "draining": .bool(draining.contains(member)),
            "appended": Value(appended), "taken": Value(taken), "duplicates": Value(duplicates),
            "outputs": Value(outputs),
            "checkpoints": ["count": Value(checkpoints), "seconds": .double(checkpointTime / .seconds(1))],
            "fenced": Value(fenced), "handOvers": Value(handOvers),
        ]
        value["trouble"] = trouble.map { .string($0) }
        return .object(value)
    }
}
