// SPDX-License-Identifier: Apache-2.0

// A server checks only ten times a second whether a wait is over, so readers are woken when there is a reason.
extension RedisEngine {
    package func reader() throws(ClusterFailure) -> Int {
        if let name { return name }
        let given = try connection.ask("CLIENT", "ID").number ?? 0
        name = given
        return given
    }

    package func wake(_ reader: Int) throws(ClusterFailure) -> Bool {
        try connection.ask("CLIENT", "UNBLOCK", String(reader)).number == 1
    }
}
