// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
package import GatehouseSupport

/// The outcome of one look at the configuration.
package struct ReloadOutcome: Sendable {
    /// The possible results.
    enum Result: Sendable {
        /// Another generation runs, with these changes.
        case applied(PlanDifference)
        /// There was nothing to do.
        case unchanged
        /// The running generation continues unchanged; the diagnostics say why.
        case refused
    }

    /// The result of the reload.
    let result: Result
    /// The number of the generation now running.
    let generation: Int
    /// The diagnostics, including warnings.
    package let diagnostics: Diagnostics
    /// The triggers; several if requests were combined.
    var triggers: [ReloadTrigger]
    /// The time from the first look to the end.
    let duration: Duration
    /// How long the host held actions, in total.
    let held: Duration

    /// How many images are mapped, and how many of them no instance uses any more.
    let images: MappedImages

    /// Whether there is nothing to report: a file was touched without being changed, or the change was already examined,
    /// other than the revert of a refused one.
    func isIdle(after last: ReloadOutcome?) -> Bool {
        guard case .unchanged = result, triggers == [.change], diagnostics.all.isEmpty else { return false }
        if let last, case .refused = last.result { return false }
        return true
    }

    /// Whether another generation runs.
    var isApplied: Bool { if case .applied = result { true } else { false } }
}

extension ReloadOutcome: CustomStringConvertible {
    /// One line: the changes, or that there are none.
    package var description: String {
        switch result {
        case .applied(let difference):
            "generation \(generation) runs, after \(Self.text(of: duration)): "
                + difference.lines.joined(separator: "; ")
        case .unchanged: "nothing has changed, generation \(generation) runs on"
        case .refused: "the change is refused, generation \(generation) runs on"
        }
    }

    /// The outcome for programs.
    var json: Value {
        var members: Members = [
            "generation": Value(generation),
            "triggers": .array(triggers.map { .string($0.rawValue) }),
            "milliseconds": .double(duration / .milliseconds(1)),
            "heldMilliseconds": .double(held / .milliseconds(1)),
            "images": images.value,
        ]
        switch result {
        case .applied(let difference):
            members["result"] = "applied"
            members["changes"] = difference.json
        case .unchanged: members["result"] = "unchanged"
        case .refused: members["result"] = "refused"
        }
        for (key, value) in diagnostics.json { members[key] = value }
        return .object(members)
    }

    /// Formats a time such as `34 ms`.
    private static func text(of duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds < 10_000
            ? "\(Int(milliseconds.rounded(.up))) ms" : "\(Int(milliseconds / 1_000)) s"
    }
}
