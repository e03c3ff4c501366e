// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK
internal import GatehouseSupport

/// Formats dead letters of a cluster, for people and for programs.
enum ClusterLetterText {
    /// Two lines for each letter, and the total when not all are shown.
    static func list(_ letters: [ClusterDeadLetter], of count: Int) -> String {
        if letters.isEmpty { return "no dead letters\n" }
        let rest = letters.count < count ? "\(letters.count) of \(count) dead letters\n" : ""
        return letters.map(summary).joined() + rest
    }

    /// One letter with its action.
    static func whole(_ letter: ClusterDeadLetter) -> String {
        let action =
            (try? JSONText.parse(letter.action)).map { $0.json(.pretty) }
            ?? Quotation.bare(String(decoding: letter.action, as: UTF8.self))
        return summary(letter) + action + "\n"
    }

    /// Letters for programs.
    ///
    /// - Parameter count: the total number of letters.
    static func value(_ letters: [ClusterDeadLetter], of count: Int) -> Value {
        let values = letters.map { letter -> Value in
            var members: Members = [
                "name": .string("\(DeadLetterName(of: letter))"), "partition": Value(letter.partition),
                "offset": .string("\(letter.offset)"), "member": .string(letter.member),
                "time": .double(letter.time), "reason": .string(letter.reason),
            ]
            members["origin"] = letter.origin.map { .string("\($0)") }
            if let action = try? JSONText.parse(letter.action) {
                members["action"] = action
            } else {
                members["text"] = .string(String(decoding: letter.action, as: UTF8.self))
            }
            return .object(members)
        }
        return ["letters": .array(values), "kept": Value(count)]
    }

    /// Name, time and type on one line, member and reason on the next.
    private static func summary(_ letter: ClusterDeadLetter) -> String {
        let type = (try? JSONText.parse(letter.action))?["type"]?.stringValue ?? "no action"
        return "\(DeadLetterName(of: letter))  \(UnixTime.text(letter.time))  \(Quotation.bare(type))\n"
            + "    \(Quotation.bare(letter.member)): \(Quotation.bare(letter.reason))\n"
    }
}
