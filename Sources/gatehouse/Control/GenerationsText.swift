// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Formats the generations in which an instance changed for people.
enum GenerationsText {
    /// Two lines for each, the newest first: when and what, and how it has been since.
    static func text(_ answer: Value) -> String {
        var lines = answer.list("generations").flatMap { one in
            [
                "\(UnixTime.text(one.number("time")))  generation \(one.count("generation")) of run \(one.count("run")), after action \(one.count("after")): \(one.list("changes").compactMap(\.stringValue).joined(separator: "; "))"
            ] + state(of: one)
        }
        let more = answer.count("count") - answer.list("generations").count
        if more > 0 { lines.append("and \(more) older ones") }
        return (lines + answer.list("damage").compactMap(\.stringValue)).map { $0 + "\n" }.joined()
    }

    /// The line about what an instance was from a generation on; none where it was stopped.
    private static func state(of one: Value) -> [String] {
        guard let plugin = one["plugin"]?.stringValue else { return [] }
        let gate = one["gate"].map { ", gate \($0.stringValue ?? "")" } ?? ""
        return ["    \(plugin) \(one.text("version")), sha256 \(one.text("digest").prefix(12))\(gate)"]
    }
}
