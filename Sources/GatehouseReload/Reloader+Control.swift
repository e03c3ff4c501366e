// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
internal import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport

/// Answers for clients of the control socket: JSON, with the words for people as `text`.
extension Reloader: ControlReloading {
    package func plan() async throws(ControlError) -> Value {
        let (diagnostics, difference) = try await preview()
        var members: Members = [:]
        let words: [String]
        if let difference {
            members["result"] = difference.isEmpty ? "unchanged" : "applied"
            members["changes"] = difference.json
            words = difference.isEmpty ? ["a reload would change nothing"] : difference.lines
        } else {
            members["result"] = "refused"
            words = ["a reload would be refused"]
        }
        return Self.answer(members, diagnostics, words)
    }

    package func reload(
        expecting generation: Int?, trying trial: HistoryTrial?
    ) async throws(ControlError) -> Value {
        let outcome = try await reload(.control, expecting: generation, trying: trial)
        return Self.answer(outcome.json.objectValue ?? [:], outcome.diagnostics, ["\(outcome)"])
    }

    package func release(catchingUp digest: String) async throws(ControlError) -> Value {
        let outcome: ReloadOutcome = try await release(catchingUp: digest)
        var answer =
            Self.answer(outcome.json.objectValue ?? [:], outcome.diagnostics, ["\(outcome)"])
            .objectValue ?? [:]
        if outcome.isApplied { answer["released"] = .string(digest) }
        return .object(answer)
    }

    package var shadows: [ShadowStatus] { procedure.shadows.statuses }

    package func shadows(after sequence: UInt64) async -> [ShadowStatus] {
        await BackgroundThread.value { [shadows = procedure.shadows] in
            shadows.wait(for: sequence)
            return shadows.statuses
        }
    }

    /// Returns a result, or refuses with all its problems.
    static func answered<Success>(_ result: Result<Success, Diagnostics>) throws(ControlError) -> Success {
        do { return try result.get() } catch {
            throw .refused(error.all.map(\.description).joined(separator: "\n  "))
        }
    }

    /// Creates an answer for programs and for people.
    static func answer(_ facts: Members, _ diagnostics: Diagnostics, _ words: [String]) -> Value {
        var members = facts
        for (key, value) in diagnostics.json { members[key] = value }
        let sentences =
            (diagnostics.problems + diagnostics.refusals).map(\.description)
            + diagnostics.warnings.map { "warning: \($0)" }
        members["text"] = .string((sentences + words).map { Quotation.message($0) + "\n" }.joined())
        return .object(members)
    }
}
