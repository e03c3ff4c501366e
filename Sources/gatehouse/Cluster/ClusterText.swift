// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

/// Formats the status of a cluster for people, in 80 columns.
enum ClusterText {
    /// A partition is shown when its oldest action has waited this many seconds.
    private static let longestWait = 1.0
    /// At most this many of the remarkable partitions are shown.
    private static let mostShown = 20

    /// Members, and the partitions that deserve a look.
    ///
    /// - Parameter isWhole: whether to show every partition.
    static func text(_ survey: Value, isWhole: Bool = false) -> String {
        let members = survey.list("members")
        let partitions = survey.list("partitions")
        let live = Set(members.filter { $0["live"] == true }.compactMap { $0["name"]?.stringValue })
        var lines = [title(survey, live: live.count, partitions)]
        if let engine = survey["engine"] { lines += self.engine(engine) }
        if members.isEmpty {
            lines.append("no members")
        } else {
            lines += [""] + table(of: members, partitions)
        }
        if Set(members.filter { $0["live"] == true }.compactMap { $0["plugins"]?.stringValue }).count > 1 {
            lines.append("the members run different plugins or configurations; reload those with old ones")
        }
        lines += isWhole ? [""] + table(of: partitions, live) : remarkable(partitions, live)
        if let account = survey["account"] { lines += [""] + own(account) }
        return lines.map { Quotation.bare($0) + "\n" }.joined()
    }

    /// The server of the engine and its replicas; nothing for a socket of this machine without any.
    private static func engine(_ engine: Value) -> [String] {
        let (address, replicas) = (engine.text("address"), engine.list("replicas"))
        guard !replicas.isEmpty || !address.hasPrefix("redis+unix:") else { return [] }
        let count = replicas.isEmpty ? "no replicas" : Counted.text(replicas.count, "replica")
        return ["engine \(address), \(count)"]
            + replicas.map { replica in
                let words =
                    replica["online"] == true
                    ? "\(replica.count("behind").grouped) bytes behind, heard from \(seconds(replica["silence"])) ago"
                    : "is copying everything"
                return "  \(replica.text("address")): \(words)"
            }
    }

    /// The server that a member writes to, on one line; nil where no replica confirms and it has taken nobody's place.
    static func engineLine(_ account: Value) -> String? {
        guard let engine = account["engine"] else { return nil }
        let needed = engine.count("replicas")
        let former = engine["former"]?.stringValue
        guard needed > 0 || former != nil else { return nil }
        let confirming =
            needed > 0
            ? ", \(Counted.text(needed, "replica")) must confirm" : ", no replica must confirm"
        return "writes to \(Quotation.bare(engine.text("address"))) for \(seconds(engine["seconds"]))"
            + (former.map { ", in place of \(Quotation.bare($0))" } ?? "") + confirming
    }

    /// A member's cluster on one line.
    static func line(_ account: Value) -> String {
        let number = { (key: String) in account.count(key) }
        let place =
            "cluster \(Quotation.bare(account.text("name"))): \(Counted.text(number("members"), "member")), "
            + "\(number("owned")) of \(Counted.text(number("partitions"), "partition")) here"
        let drain = account["draining"] == true ? ", draining" : ""
        let obstacles = (account["obstacles"]?.arrayValue ?? []).compactMap(\.stringValue)
        return place + drain + (obstacles.isEmpty ? "" : ", not ready: " + obstacles.joined(separator: "; "))
    }

    /// The member's own counters since its start.
    private static func own(_ account: Value) -> [String] {
        let number = { (key: String) in account.count(key).grouped }
        let effects = { (key: String) in (account["effects"] ?? .null).count(key).grouped }
        let checkpoints = account["checkpoints"] ?? .null
        let count = checkpoints.count("count")
        let mean = checkpoints.number("seconds") / Double(count)
        let each = count > 0 ? " of \((mean * 10_000).rounded() / 10) ms" : ""
        let obstacles = (account["obstacles"]?.arrayValue ?? []).compactMap(\.stringValue)
        return obstacles.map { "\(Quotation.bare(account.text("member"))) is not ready: \($0)" } + [
            "\(Quotation.bare(account.text("member"))) since its start: \(number("appended")) actions appended, \(number("taken")) taken, \(number("duplicates")) dropped as duplicates",
            "\(count.grouped) checkpoints\(each), \(number("outputs")) outputs to other partitions, \(number("handOvers")) handed over, \(number("fenced")) fenced",
            "\(effects("running")) effects under way, \(effects("taken")) taken over with partitions, \(effects("again")) left to next owners, \(effects("told")) told to plugins there, \(effects("lost")) lost",
        ]
    }

    /// The message about the start of a drain, or about its end.
    static func drained(_ answer: Value) -> String {
        let name = Quotation.bare(answer.text("host"))
        guard answer["draining"] == true else { return "\(name) takes partitions again\n" }
        let count = answer.count("partitions")
        if count == 0 { return "\(name) owns no partitions, and takes none\n" }
        let partitions = Counted.text(count, "partition")
        guard let heirs = answer["heirs"]?.intValue, heirs > 0 else {
            return
                "\(name) hands its \(partitions) over, but no other member can take them: start one\n"
        }
        return "\(name) hands its \(partitions) over to \(Counted.text(heirs, "other member"))\n"
    }

    /// The message about a requested reload of all members.
    static func reloading(_ answer: Value) -> String {
        "\(Counted.text(answer.count("members"), "member")) will reload, one after the other\n"
    }

    /// The totals.
    private static func title(_ survey: Value, live: Int, _ partitions: [Value]) -> String {
        let lag = partitions.reduce(0) { $0 + $1.count("lag") }
        let dead = survey.count("deadLetters")
        return "cluster \(Quotation.bare(survey.text("cluster"))): "
            + "\(Counted.text(live, "live member")), \(Counted.text(partitions.count, "partition")), "
            + "\(Counted.text(lag, "action")) behind"
            + (dead > 0 ? ", \(Counted.text(dead, "dead letter"))" : "")
    }

    /// A line for each member.
    private static func table(of members: [Value], _ partitions: [Value]) -> [String] {
        var lags: [String: Int] = [:]
        for partition in partitions {
            guard let owner = partition["owner"]?.stringValue else { continue }
            lags[owner, default: 0] += partition.count("lag")
        }
        let rows = members.map { member in
            let name = member.text("name")
            let isLive = member["live"] == true
            return [
                Quotation.bare(name), isLive ? member["draining"] == true ? "draining" : "live" : "gone",
                isLive ? seconds(member["lease"]) : "", number(member["partitions"]),
                String(lags[name] ?? 0), String(member.text("plugins").prefix(8)),
                member.text("version"), number(member["process"]),
            ]
        }
        return TextTable(columns: [
            .text("NAME", most: 20), .text("IS", most: 8), .number("LEASE", most: 7),
            .number("PARTITIONS", most: 10), .number("BEHIND", most: 9), .text("PLUGINS", most: 8),
            .text("VERSION", most: 8), .number("PROCESS", most: 8),
        ]).lines(rows)
    }

    /// The partitions without an owner, and those with a long lag.
    private static func remarkable(_ partitions: [Value], _ live: Set<String>) -> [String] {
        let found = partitions.filter { partition in
            let owner = partition["owner"]?.stringValue
            return owner.map { !live.contains($0) } ?? true
                || partition.number("waiting") >= longestWait
        }
        guard !found.isEmpty else { return [] }
        let sentence =
            "\(found.count) of \(Counted.text(partitions.count, "partition")) without a live owner, or lagging for \(Int(longestWait)) s or longer"
        return ["", sentence + (found.count > mostShown ? ", the first \(mostShown) of them:" : ":")]
            + table(of: Array(found.prefix(mostShown)), live)
    }

    /// A line for each partition.
    private static func table(of partitions: [Value], _ live: Set<String>) -> [String] {
        let rows = partitions.map { partition in
            let owner = partition["owner"]?.stringValue
            return [
                number(partition["number"]),
                owner.map { live.contains($0) ? $0 : $0 + " (gone)" } ?? "nobody",
                number(partition["epoch"]), number(partition["lag"]), seconds(partition["waiting"]),
                seconds(partition["checkpoint"]),
            ]
        }
        return TextTable(columns: [
            .number("PARTITION", most: 9), .text("OWNER", most: 27), .number("EPOCH", most: 7),
            .number("BEHIND", most: 9), .number("OLDEST", most: 9), .number("CHECKPOINT", most: 10),
        ]).lines(rows)
    }

    /// The decimal form of a number; empty when the value is no number.
    private static func number(_ value: Value?) -> String { value?.intValue.map(String.init) ?? "" }

    /// Seconds with one decimal digit; empty when the value is no number.
    private static func seconds(_ value: Value?) -> String {
        guard let seconds = value?.doubleValue, seconds.isFinite else { return "" }
        let tenths = Int((min(max(seconds, 0), 1e9) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
