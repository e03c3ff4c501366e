// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
internal import GatehouseLibrary
internal import GatehousePlan
package import GatehouseSDK
internal import GatehouseSupport

/// Tries candidates beside the running generation, and swaps those in that were tried.
extension Reloader {
    /// The most candidates that are kept, with their bytes.
    private static let mostTrials = 8

    package func tryCandidate(
        _ origin: CandidateOrigin, over extent: TrialExtent
    ) async throws(ControlError) -> Value {
        if let busy = trials.first(where: { !$0.isOver }) {
            throw .exhausted(
                "the trial of \(busy.candidate.title) is still running; wait for its end")
        }
        try await takeTurn()
        let made = await work { [procedure] in
            Result { () throws(Diagnostics) in
                let ground = try procedure.ground()
                let trust = FileTrust(isStrict: ground.source.isStrict)
                return (try Candidate(origin, trust: trust), ground, procedure.patience)
            }
        }
        endTurn()
        let (candidate, ground, patience) = try Self.answered(made)
        let trial = CandidateTrial(of: candidate, on: ground)
        trials.removeAll { $0.candidate.digest == candidate.digest }
        trials.append(trial)
        if trials.count > Self.mostTrials { trials.removeFirst() }
        trial.begin(over: extent, within: patience)
        return trial.value
    }

    package func trial(of digest: String, after seen: Int?) async throws(ControlError) -> Value {
        let trial = try trial(of: digest)
        if let seen { await trial.waitForStep(after: seen) }
        return trial.value
    }

    package func swapCandidate(_ digest: String) async throws(ControlError) -> Value {
        let trial = try trial(of: digest)
        guard let plan = trial.plan, case .tried = trial.stage else {
            throw .refused(
                trial.isOver
                    ? "\(trial.candidate.title) was refused in its trial; correct it, and try it again"
                    : "the trial of \(trial.candidate.title) is still running; wait for its end")
        }
        try await beginReload()
        defer { endTurn() }
        let ground = trial.ground
        let replaced = await work { [candidate = trial.candidate] in
            Result { () throws(Diagnostics) in
                var swap = CandidateSwap(candidate, on: ground, as: plan)
                try swap.replace()
                return swap
            }
        }
        // What it writes itself is no change to look at; what others write while it reloads is.
        watch?.accept()
        let swap = try Self.answered(replaced)
        let outcome = await work { [procedure, tell] in
            tell(.begun)
            var outcome = procedure.perform(
                expecting: ground.generation,
                checking: { found throws(Diagnostics) in try swap.check(found) })
            outcome.triggers = [.control]
            if !outcome.isApplied { swap.undo() }
            procedure.note(outcome)
            tell(.ended(outcome))
            return outcome
        }
        if !outcome.isApplied { watch?.accept() }
        adopt(outcome)
        return Self.answer(outcome.json.objectValue ?? [:], outcome.diagnostics, ["\(outcome)"])
    }

    /// Returns the trial of the candidate with a digest, or its beginning.
    private func trial(of digest: String) throws(ControlError) -> CandidateTrial {
        let found = digest.count < 8 ? [] : trials.filter { $0.candidate.digest.hasPrefix(digest) }
        guard found.count == 1 else {
            throw .refused(
                "no candidate was tried with the digest \(Quotation.of(digest)); try one with gatehouse ctl try FILE"
            )
        }
        return found[0]
    }
}
