// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats the status of a host for people, in 80 columns.
enum StatusText {
    /// The whole status.
    static func text(_ status: Value) -> String {
        let total = status["input"] ?? [:]
        var lines = [
            title(status),
            "\(counted(status.count("actions"), "action")), \(status.count("waiting").grouped) waiting, \(counted(status.count("effects"), "effect")) running",
            "\(counted(total.count("lines"), "line")), \(total.count("rejected").grouped) rejected",
        ]
        lines += status.list("inputs").map(input)
        if let clients = status["clients"] {
            let dropped = clients.count("dropped")
            lines.append(
                "\(Counted.text(clients.count("connected"), "client")), \(clients.count("watching")) watching"
                    + (dropped > 0 ? ", \(dropped) disconnected because they did not read" : ""))
        }
        if let journal = status["journal"] {
            let snapshot = journal["snapshot"]?.intValue.map { ", snapshot at \($0.grouped)" } ?? ""
            let size = journal["bytes"]?.intValue.map { ", \($0.grouped) bytes" } ?? ""
            lines.append(
                "journal: \(journal.text("mode")), up to action \(journal.count("recorded").grouped)"
                    + snapshot + size)
            let images = journal["images"] ?? .null
            lines.append(
                "libraries kept beside it: \(images.count("kept")), \(((images.count("bytes") + 1_023) / 1_024).grouped) KiB"
            )
        }
        if let reason = status["children"]?["reason"]?.stringValue { lines.append("children: \(reason)") }
        let instances = status.list("instances")
        if let workers = status["workers"], instances.contains(where: { $0["worker"] != nil }) {
            lines.append("workers: \(WorkerLimits.words(workers))")
        }
        if let degraded = status["degraded"]?.stringValue { lines.append("degraded: \(degraded)") }
        if let cluster = status["cluster"] {
            lines.append(ClusterText.line(cluster))
            if let engine = ClusterText.engineLine(cluster) { lines.append(engine) }
        }
        if let result = status["lastReload"]?["result"]?.stringValue {
            lines.append("last reload: \(result)")
        }
        if let dead = status["deadLetters"]?.intValue, dead > 0 {
            let forgotten = status.count("forgottenLetters")
            let older = forgotten > 0 ? ", \(forgotten) older ones discarded for lack of room" : ""
            lines.append("\(Counted.text(dead, "dead letter"))\(older); see gatehouse ctl dead-letters")
        }
        if let retired = status["images"]?["retired"]?.intValue, retired > 0 {
            lines.append(
                "\(Counted.text(retired, "image")) of \(status["images"]?["mapped"]?.intValue ?? 0) no longer used by any instance; their memory is freed at the next start"
            )
        }
        let rows = instances.map { instance in
            [
                instance.text("id"), instance.text("plugin") + " " + instance.text("version"),
                instance.text("gate"),
            ] + ["heard", "emitted", "effects", "failures"].map { short(instance.count($0)) }
        }
        let table = TextTable(columns: [
            .text("INSTANCE", most: 18), .text("PLUGIN", most: 16), .text("GATE", most: 6),
            .number("HEARD", most: 6), .number("EMITTED", most: 7), .number("EFFECTS", most: 7),
            .number("FAILED", most: 6),
        ])
        lines += rows.isEmpty ? ["", "no instances"] : [""] + table.lines(rows)
        lines += trust(instances) + workers(instances) + quarantined(instances) + failing(instances)
        lines += instances.flatMap(numbers) + spread(instances)
        return lines.map { Quotation.bare($0) + "\n" }.joined()
    }

    /// `1 line`, `1,234 lines`.
    static func counted(_ number: Int, _ noun: String) -> String {
        "\(number.grouped) \(number == 1 ? noun : noun + "s")"
    }

    /// The counters of one input.
    private static func input(_ input: Value) -> String {
        let lines = counted(input.count("lines"), "line")
        let connections = input["connections"]?.intValue.map { ", \(Counted.text($0, "connection"))" } ?? ""
        let end = input["ended"] == true ? ", ended" : ""
        return "\(input.text("kind")) \(input.text("name")): " + lines
            + connections + end
    }

    /// Lists in how many partitions of a member its instances are, one line per number.
    private static func spread(_ instances: [Value]) -> [String] {
        var ids: [Int: [String]] = [:]
        for instance in instances {
            guard let count = instance["partitions"]?["count"]?.intValue else { continue }
            ids[count, default: []].append(instance.text("id"))
        }
        return ids.sorted { $0.key > $1.key }.map { count, ids in
            "in \(Counted.text(count, "partition")): \(ids.joined(separator: ", "))"
        }
    }

    /// Who vouches for the libraries of instances, a line for each that does, and one for those for which nobody does; none without a policy.
    private static func trust(_ instances: [Value]) -> [String] {
        var ids: [String: [String]] = [:]
        for instance in instances {
            guard let trust = instance["trust"] else { continue }
            let serial = trust["serial"]?.intValue.map { " (serial \($0))" } ?? ""
            let words =
                switch trust.text("by") {
                case "host": "came with the host"
                case "key": "signed by \(trust.text("name"))"
                default: trust["pinned"] == true ? "pinned" : "nobody vouches for"
                }
            ids[words, default: []].append(instance.text("id") + serial)
        }
        return ids.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: ", "))" }
    }

    /// How the workers of instances stand, a sentence for each instance that has one; the first of those that share a process tells what
    /// that takes.
    private static func workers(_ instances: [Value]) -> [String] {
        var told: Set<Int> = []
        return instances.compactMap { instance in
            guard let worker = instance["worker"] else { return nil }
            let isFirst = worker["pid"]?.intValue.map { told.insert($0).inserted } ?? true
            return Self.worker(worker, of: instance, tellingUse: isFirst)
        }
    }

    /// How the worker of an instance stands.
    private static func worker(_ worker: Value, of instance: Value, tellingUse tellsUse: Bool) -> String {
        let id = instance.text("id")
        var words: [String] = []
        if let process = worker["pid"]?.intValue {
            let name = instance["placement"]?.stringValue?.split(separator: ":").dropFirst().first
            let place = name.map { "the worker \(Quotation.bare(String($0)))" } ?? "a worker"
            words.append("\(id) runs in \(place), process \(process)")
        } else {
            words.append("\(id) has no worker")
        }
        if tellsUse {
            if let memory = worker["memory"]?.intValue { words.append("\((memory / 1_024).grouped) KiB") }
            if let peak = worker["peak"]?.intValue { words.append("\((peak / 1_024).grouped) KiB at most") }
            if let seconds = worker["seconds"]?.doubleValue { words.append("\(seconds) s of CPU time") }
        }
        let (deaths, waiting) = (worker.count("deaths"), worker.count("waiting"))
        if deaths > 0 { words.append(Counted.text(deaths, "death")) }
        if waiting > 0 { words.append("\(waiting.grouped) waiting") }
        return words.joined(separator: ", ")
    }

    /// How far slices are that workers keep, a sentence for each; none where no worker has a part in a state.
    static func slices(_ slices: Value?) -> [String] {
        (slices?.objectValue ?? [:]).map { id, standing in
            let (at, waiting) = (standing.count("at"), standing.count("waiting"))
            let place = at == 0 ? "is as at the start of the host" : "stands at action \(at.grouped)"
            let rest =
                waiting == 0
                ? "" : ", \(waiting.grouped) more \(waiting == 1 ? "waits" : "wait") in its worker"
            return "the slice of \(Quotation.bare(id)) \(place)\(rest)"
        }
    }

    /// Lists the quarantined instances: where their slices ended, what they missed, and why.
    static func quarantined(_ instances: [Value]) -> [String] {
        instances.compactMap { instance in
            instance["quarantine"]?.stringValue.map { reason in
                let missed = instance["standing"]?["missed"]?.intValue ?? 0
                let place =
                    instance["slice"]?.stringValue == nil ? nil : instance["standing"]?["at"]?.intValue
                var words = place.map { ["stands at action \($0.grouped)"] } ?? []
                if place != nil || missed > 0 { words.append("\(missed.grouped) missed") }
                return "\(instance.text("id")) "
                    + (words + ["is in quarantine: \(reason)"]).joined(separator: ", ")
            }
        }
    }

    /// Describes what an instance skips when it leaves quarantine.
    static func skipped(_ instance: Value) -> String {
        let place =
            instance["at"]?.intValue.map { "resumes from action \($0.grouped) and skips" } ?? "skips"
        return
            "\(Quotation.bare(instance.text("id"))) \(place) \(instance.count("missed").grouped) that it missed in quarantine\n"
    }

    /// Lists the failing instances, and why they fail.
    static func failing(_ instances: [Value]) -> [String] {
        instances.filter { $0["health"] == "failing" }.map {
            "\($0.text("id")) is failing: \($0.text("reason"))"
        }
    }

    /// The counters, gauges and timers of an instance, one line each.
    static func numbers(_ instance: Value) -> [String] {
        let id = instance.text("id")
        let members = { (key: String) in instance[key]?.objectValue ?? [:] }
        let counts = members("counts").map { "\(id) \($0): \(($1.intValue ?? 0).grouped)" }
        let gauges = members("gauges").map { "\(id) \($0): now \($1)" }
        let times = members("times").map { name, time in
            let (count, seconds) = (time.count("count"), time.number("seconds"))
            return
                "\(id) \(name): \(Counted.text(count, "time")), \(milliseconds(seconds)) ms in all, \(milliseconds(seconds / Double(max(count, 1)))) ms each"
        }
        return counts + gauges + times
    }

    /// Converts seconds to milliseconds, rounded to three decimals.
    private static func milliseconds(_ seconds: Double) -> Double { (seconds * 1_000_000).rounded() / 1_000 }

    /// The host's name, and since when it runs.
    static func title(_ status: Value) -> String {
        "\(status.text("name")): gatehouse \(status.text("version")), process \(status.count("pid")), up \(time(status.number("uptime"))), generation \(status.count("generation"))"
    }

    /// Formats a time in its two largest units.
    static func time(_ seconds: Double) -> String {
        let seconds = Int(seconds)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        default: return "\(seconds / 86_400) d \(seconds / 3_600 % 24) h"
        }
    }

    /// Formats a short time, given in nanoseconds, such as `12.3 µs`; in at most eight characters below 9,999 seconds.
    static func span(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1_000: "\(Int(nanoseconds)) ns"
        // What would be rounded to 1,000 belongs to the next unit.
        case ..<999_950: "\((nanoseconds / 100).rounded() / 10) µs"
        case ..<999_950_000: "\((nanoseconds / 1e5).rounded() / 10) ms"
        default: "\((nanoseconds / 1e8).rounded() / 10) s"
        }
    }

    /// Formats a number, such as `12.3k`; below 999 × 10^12 in at most six characters.
    static func short(_ number: Int) -> String {
        var rest = Double(number)
        for unit in ["", "k", "M", "G", "T"] {
            if rest < (unit.isEmpty ? 10_000 : 999.95) || unit == "T" {
                return unit.isEmpty ? "\(number)" : "\((rest * 10).rounded() / 10)" + unit
            }
            rest /= 1_000
        }
        return "\(number)"
    }
}
