// SPDX-License-Identifier: Apache-2.0

/// Asks Sentinels which server is the primary at present.
enum RedisSentinels {
    /// Returns how to connect to the primary that the first Sentinel to answer names; nil where the address names no Sentinels.
    ///
    /// The user and the password are those of the servers; Sentinels are asked without.
    ///
    /// - Parameter patience: how long all of them together may take.
    /// - Throws: `lost` when none answers, or knows the name.
    static func primary(_ access: RedisAccess, patience: Duration) throws(ClusterFailure) -> RedisAccess? {
        guard case .sentinels(let ports, let name) = access.address.place else { return nil }
        var problems: [String] = []
        for port in ports {
            let address = RedisAddress.tcp(
                host: port.host, port: port.number, isEncrypted: access.address.isEncrypted)
            do throws(ClusterFailure) {
                let sentinel = try RedisConnection(
                    RedisAccess(address, tls: access.tls), patience: patience / ports.count)
                let words = try sentinel.ask("SENTINEL", "get-master-addr-by-name", name).elements.compactMap(
                    \.text)
                if words.count == 2, let number = Int(words[1]), (1...65_535).contains(number) {
                    return RedisAccess(
                        .tcp(
                            host: words[0], port: number, user: access.address.user,
                            isEncrypted: access.address.isEncrypted),
                        password: access.password, tls: access.tls)
                }
                problems.append("the Sentinel at \(port) knows no \(name)")
            } catch {
                let words = if case .lost(let words) = error { words } else { "\(error)" }
                problems.append("the Sentinel at \(port): \(words)")
            }
        }
        throw .lost(problems.joined(separator: "; "))
    }
}
