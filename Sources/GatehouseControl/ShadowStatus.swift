// SPDX-License-Identifier: Apache-2.0

package import GatehouseValue

/// How a shadow is doing.
package struct ShadowStatus: Sendable {
    /// Whether it hears.
    package enum Stage: Equatable, Sendable {
        /// Its process hears what is recorded.
        case hearing
        /// It hears nothing until the next reload; why, line by line.
        case ended([String])
    }

    /// The id of its entry.
    package let id: String
    /// The id of its instance.
    package let instance: String
    /// SHA-256 of its library with all that this brings along, in hexadecimal; nil where it has none.
    package let digest: String?
    /// Whether it hears.
    package let stage: Stage
    /// How many actions both heard.
    package let heard: Int
    /// At how many of them something differed.
    package let differing: Int
    /// What has come of the comparison, as JSON; nil before the first action.
    package let account: Value?
    /// The same for people, line by line.
    package let lines: [String]

    /// The status of a shadow.
    package init(
        id: String, of instance: String, digest: String?, stage: Stage, heard: Int, differing: Int,
        account: Value?, lines: [String]
    ) {
        (self.id, self.instance, self.digest, self.stage) = (id, instance, digest, stage)
        (self.heard, self.differing, self.account, self.lines) = (heard, differing, account, lines)
    }

    /// The numbers alone, for programs.
    var summary: Value {
        [
            "id": .string(id), "of": .string(instance), "stage": stage == .hearing ? "hearing" : "ended",
            "heard": Value(heard), "differing": Value(differing),
        ]
    }

    /// The status for programs, with the words for people as `text`.
    var value: Value {
        var members = summary.objectValue ?? [:]
        members["digest"] = digest.map(Value.string)
        if case .ended(let reasons) = stage { members["reasons"] = .array(reasons.map(Value.string)) }
        members["account"] = account
        members["text"] = .string(lines.map { $0 + "\n" }.joined())
        return .object(members)
    }
}
