// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting

extension RedisServer {
    /// Where it listens.
    var address: RedisAddress { .unix(path: socket) }

    /// How one comes to it.
    var access: RedisAccess { .unix(path: socket) }

    /// A cluster on it.
    func cluster(_ name: String = "shop", partitions: Int = 4) -> RedisCluster {
        RedisCluster(access, name: name, partitions: partitions)
    }

    /// An engine for a cluster on it, which somebody has joined, and which has time enough on a busy machine.
    func engine(_ name: String = "shop", partitions: Int = 4) throws -> any ClusterEngine {
        let engine = try RedisCluster(
            access, name: name, partitions: partitions, patience: .seconds(60)
        ).connect()
        try engine.join(ClusterPresence(name: "first", life: "1"))
        return engine
    }
}
