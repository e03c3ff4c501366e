// SPDX-License-Identifier: Apache-2.0

/// What a server says about itself by `INFO`.
struct RedisFacts {
    /// The values by their names; the last of a name counts.
    private let values: [Substring: Substring]

    /// Reads sections of an answer; lines that are not `NAME:VALUE` are passed over.
    init(_ sections: String...) {
        values = Self.values(
            in: sections.joined(separator: "\n").split(whereSeparator: \.isNewline), behind: ":")
    }

    /// Reads `NAME` and `VALUE` on the two sides of a separator; texts without one are passed over.
    private static func values(in texts: [Substring], behind separator: Character) -> [Substring: Substring] {
        var values: [Substring: Substring] = [:]
        for text in texts {
            guard let place = text.firstIndex(of: separator) else { continue }
            values[text[..<place]] = text[text.index(after: place)...]
        }
        return values
    }

    /// The id that distinguishes the server's process from all others; nil where it is no Redis.
    var run: String? { values["run_id"].map(String.init) }

    /// The server that this one copies, as `HOST:PORT`; nil for a primary.
    var primary: String? {
        guard values["role"] == "slave" else { return nil }
        return "\(values["master_host"] ?? "?"):\(values["master_port"] ?? "?")"
    }

    /// The replicas that are connected, in the server's order.
    var replicas: [ClusterSurvey.Server.Replica] {
        let end = values["master_repl_offset"].flatMap { Int($0) } ?? 0
        let count = Int(values["connected_slaves"] ?? "") ?? 0
        return (0..<max(0, min(values.count, count))).compactMap { number in
            guard let line = values["slave\(number)"[...]] else { return nil }
            let facts = Self.values(in: line.split(separator: ","), behind: "=")
            let offset = facts["offset"].flatMap { Int($0) } ?? 0
            return .init(
                address: RedisReply.shown("\(facts["ip"] ?? "?"):\(facts["port"] ?? "?")"),
                isOnline: facts["state"] == "online",
                behind: max(0, end.subtractingReportingOverflow(offset).partialValue),
                silence: .seconds(facts["lag"].flatMap { UInt16($0) } ?? 0))
        }
    }

    /// Returns why a cluster cannot be in this server, with the remedy; nil where it can.
    ///
    /// - Parameter address: of the server.
    func objection(at address: RedisAddress) -> ClusterFailure? {
        guard run != nil else {
            return .refused("\(address) did not report its run_id; is it a Redis?")
        }
        let version = values["redis_version"] ?? ""
        guard let major = version.split(separator: ".").first.flatMap({ Int($0) }), major >= 7 else {
            return .refused(
                "\(address) is Redis \(RedisReply.shown(version)), and a cluster needs 7 or later")
        }
        // Valkey 8 has another name for it.
        if values["redis_mode"] ?? values["server_mode"] == "cluster" {
            return .refused(
                "\(address) runs in Redis Cluster mode, in which another server may get the keys while members write; name a Redis with cluster-enabled no"
            )
        }
        if let primary {
            return .denied(
                "\(address) is a replica of \(RedisReply.shown(primary)); name that one by \"engine\", or the Sentinels that watch both"
            )
        }
        return nil
    }
}
