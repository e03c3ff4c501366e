// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats the last hour of a host for people, in 80 columns.
struct HourText {
    /// The answer of the host.
    private let hour: Value
    /// How long each sample took, in seconds.
    private let seconds: [Double?]

    /// Reads an answer.
    private init(_ hour: Value) {
        self.hour = hour
        seconds = Self.numbers(hour["seconds"])
    }

    /// The whole hour.
    static func text(_ hour: Value) -> String {
        guard let first = hour["moments"]?[0]?.doubleValue, let last = hour.list("moments").last?.doubleValue
        else { return "no sample has been taken yet; the host takes one every ten seconds\n" }
        let text = HourText(hour)
        let start = first - (text.seconds.first.flatMap { $0 } ?? 0)
        var lines = [
            "\(UnixTime.text(start)) to \(UnixTime.text(last)), \(Counted.text(text.seconds.count, "sample"))",
            "",
        ]
        lines += text.host
        let instances = text.instances
        if !instances.isEmpty { lines += [""] + instances }
        lines += [""] + hour.list("marks").map(Self.mark)
        return lines.map { $0 + "\n" }.joined()
    }

    /// The numbers of the host: now, on average and at most.
    private var host: [String] {
        let columns: [TextTable.Column] = [
            .text("", most: 9), .number("NOW", most: 9), .number("MEAN", most: 9), .number("MOST", most: 9),
            .text("OVER TIME", most: 36),
        ]
        let megabytes = { (bytes: Double) in "\(StatusText.short(Int(bytes / 1_048_576))) MiB" }
        let whole = { (number: Double) in StatusText.short(Int(number.rounded())) }
        return TextTable(columns: columns).lines([
            row("actions/s", rates(hour["actions"]), Self.rate),
            row("waiting", Self.numbers(hour["waiting"]), whole),
            row("effects", Self.numbers(hour["effects"]), whole),
            row("memory", Self.numbers(hour["memory"]), megabytes),
            row("time", Self.numbers(hour["nanoseconds"]), StatusText.span),
        ])
    }

    /// A row of numbers; dashes where there are none.
    private func row(_ name: String, _ numbers: [Double?], _ words: (Double) -> String) -> [String] {
        let known = numbers.compactMap { $0 }
        let mean = known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
        let three = [known.last, mean, known.max()]
        return [name] + three.map { $0.map(words) ?? "-" } + [Sparkline(numbers, width: 36).text]
    }

    /// The instances: what they do now, how much failed, and how much they heard over time.
    private var instances: [String] {
        let rows = hour.list("instances").map { instance in
            let heard = rates(instance["heard"])
            let gate = instance.list("gate").last?.stringValue
            let latest = { (rates: [Double?]) in
                gate == nil ? "-" : rates.compactMap { $0 }.last.map(Self.rate) ?? "-"
            }
            let failed = Self.numbers(instance["failed"]).compactMap { $0 }.reduce(0, +)
            let time = Self.numbers(instance["nanoseconds"]).last.flatMap { $0 }
            return [
                instance.text("id"), latest(heard), latest(rates(instance["emitted"])),
                StatusText.short(Int(failed)), time.map(StatusText.span) ?? "-",
                gate ?? "gone", Sparkline(heard, width: 20).text,
            ]
        }
        guard !rows.isEmpty else { return [] }
        return TextTable(columns: [
            .text("INSTANCE", most: 18), .number("HEARD/s", most: 7), .number("SENT/s", most: 7),
            .number("FAILED", most: 6), .number("TIME", most: 8), .text("GATE", most: 6),
            .text("HEARD", most: 20),
        ]).lines(rows)
    }

    /// The words for a mark.
    private static func mark(_ mark: Value) -> String {
        let id = mark.text("id")
        let words =
            switch mark.text("event") {
            case "start": "the samples begin"
            case "reload": "generation \(mark.count("generation"))"
            case "gate": "\(id): the gate is \(mark.text("gate"))"
            case "death":
                "\(id): its worker died \(mark.count("count") == 1 ? "" : "\(mark.count("count")) times ")unasked"
            case "build": "\(id): another library, version \(mark.text("version"))"
            case "quarantine": "\(id): in quarantine"
            default: "\(id): out of quarantine"
            }
        return "\(UnixTime.text(mark.number("moment")))  \(words)"
    }

    /// The numbers of an array; nil for null.
    private static func numbers(_ array: Value?) -> [Double?] { (array?.arrayValue ?? []).map(\.doubleValue) }

    /// What was counted, per second; nil for the last sample where it took too short a time to tell.
    private func rates(_ counts: Value?) -> [Double?] {
        let shortest = seconds.count > 1 ? 1 : 0.000_1
        return zip(Self.numbers(counts), seconds).map { count, seconds in
            guard let count, let seconds, seconds >= shortest else { return nil }
            return count / seconds
        }
    }

    /// Formats a number per second.
    private static func rate(_ rate: Double) -> String {
        rate == 0 || rate >= 9.95 ? StatusText.short(Int(rate.rounded())) : "\((rate * 10).rounded() / 10)"
    }
}
