// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import GatehouseHostTesting

extension RedisServer {
    /// Where it listens.
    var address: RedisAddress { .unix(path: socket) }

    /// An engine for a cluster on it.
    func engine(_ name: String = "shop", partitions: Int = 4) throws -> RedisEngine {
        try RedisEngine(address, name: name, partitions: partitions)
    }
}
