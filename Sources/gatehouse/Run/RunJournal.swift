// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSupport

/// The open journal of a run, and where the previous run ended.
///
/// Whoever keeps it keeps the recovered state.
struct RunJournal {
    /// The journal.
    let journal: HostJournal
    /// What the previous run left in it.
    let recovery: Recovery

    /// Opens the journal, and recovers what the previous run left in it; nil if none is configured.
    ///
    /// Also does so for a refused configuration of a service, because its last good generation may run.
    ///
    /// - Parameter written: the plan before quarantine.
    init?(
        of written: HostPlan, _ configuration: RunConfiguration, _ crashes: CrashLog, _ context: RunContext
    ) throws(Ended) {
        let (options, base) = (context.options, configuration.file.folder)
        let plan = written.quarantining(crashes.known())
        guard let (kept, folder) = Self.journal(of: plan, base, options) else { return nil }
        do throws(JournalFailure) {
            journal = try HostJournal(kept, folder: folder, acceptsLoss: options.leniency.acceptsLoss) {
                [stop = context.process.stop] failure in
                StandardError.tell("\(failure); the host ends")
                stop.ask(.journalFailed)
            } onDiagnostic: {
                Diagnostics([$0]).write()
            }
        } catch {
            throw Ended(.journalFailed, "\(error)")
        }
        JournalPointer.remember(folder, beside: base)
        // Where no generation was recorded, the present plan reduces the journal.
        if plan.failure == nil { Diagnostics(journal.keepImages(of: plan)).write() }
        recovery = try Self.recover(plan, folder, options)
        crashes.note(recovery)
    }

    /// Recovers the contents of a journal.
    private static func recover(
        _ plan: HostPlan, _ folder: String, _ options: RunOptions
    ) throws(Ended) -> Recovery {
        let isRefused = plan.failure != nil
        let hang = plan.configuration.supervise.hang
        do throws(PastFailure) {
            return try Recovery(
                folder: folder, acceptsLoss: options.leniency.acceptsLoss,
                by: .children(
                    present: isRefused ? nil : plan, isStrict: options.isStrict,
                    patience: .seconds(hang == 0 ? 86_400 : hang),
                    reducesWithPresent: options.leniency.reducesWithPresent))
        } catch {
            for sentence in error.sentences { StandardError.tell("\(sentence)") }
            if case .unrunnable = error { throw Ended(code: .pluginRefused) }
            throw Ended(code: .journalFailed)
        }
    }

    /// The configuration of the journal, and its folder; nil where none is configured.
    ///
    /// For an unreadable configuration, the last generation that ran decides.
    private static func journal(
        of plan: HostPlan, _ base: String, _ options: RunOptions
    ) -> (JournalConfiguration, folder: String)? {
        if let kept = plan.configuration.journal, let folder = plan.configuration.journalFolder(from: base) {
            let mayFallBack = options.isService(plan.configuration) && options.leniency.fallsBack
            return plan.failure == nil || mayFallBack ? (kept, folder) : nil
        }
        guard plan.failure != nil, options.leniency.fallsBack, let last = JournalPointer.last(beside: base),
            let kept = last.configuration.journal, options.isService(last.configuration)
        else { return nil }
        return (kept, last.folder)
    }
}
