// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSupport

extension SigningJudge {
    /// What follows for the library of an entry, which may pin its bytes.
    ///
    /// - Parameter verdict: on the library, after comparing it with what the entry pins.
    func consequence(
        of candidate: PluginFolder.Candidate, for entry: InstanceConfiguration, _ verdict: Verdict
    ) -> Consequence {
        let isPinned = verdict.isAccepted && entry.sha256?.isWhole(with: verdict.companions) == true
        let consequence = consequence(of: candidate, isPinned: isPinned)
        guard consequence == .confine, entry.placement == .host,
            case .nobody(let lack) = candidate.endorsement
        else { return consequence }
        return .refuse(.unsignedInHost(lack))
    }
}

extension PlannedInstance {
    /// The same with what follows from who vouches for its library; what there is to say about that is added.
    func following(_ consequence: SigningJudge.Consequence, _ diagnostics: inout [Diagnostic])
        -> PlannedInstance
    {
        switch consequence {
        case .none, .refuse: return self
        case .confine:
            return runsInWorker ? self : placed(PlannedPlacement(.worker, by: .unsigned))
        case .warn(let sentence):
            diagnostics.append(Diagnostic(.warning, instance: id, "its library \(sentence)"))
            return self
        case .withdraw(let reason):
            diagnostics.append(
                Diagnostic(
                    .warning, instance: id, "it is not loaded, because \(reason); bring another library"))
            return quarantined(because: reason)
        }
    }
}
