// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

// The first part of a start with a journal: recovery, and the last good generation where the configuration is refused.
extension RunCommand {
    /// An open journal, and where the previous run ended.
    typealias KeptRun = (journal: HostJournal, recovery: Recovery)

    /// The reason why a plan does not run.
    enum Refused: Error {
        /// These diagnostics prevent it.
        case refused(Diagnostics)
        /// The command ends; the reason has been reported.
        case ended(Ended)
        /// The user asked to end.
        case stopped
    }

    /// The instances to run.
    struct Ready {
        /// The plan without the instances that failed the trial.
        let plan: HostPlan
        /// Its instances.
        let assembly: Assembly
        /// Why the configuration does not run, if this is the last good generation; nil otherwise.
        var refused: (diagnostics: Diagnostics, sentence: String)?
    }

    /// Opens the journal, if one is configured, and recovers what the previous run left in it.
    ///
    /// Also does so for a refused configuration of a service, because its last good generation may run.
    func openJournal(_ plan: HostPlan, _ base: String, _ process: RunProcess) throws(Ended) -> KeptRun? {
        guard let (kept, folder) = journal(of: plan, base) else { return nil }
        let journal: HostJournal
        do throws(JournalFailure) {
            journal = try HostJournal(kept, folder: folder, acceptsLoss: options.acceptsLoss) {
                [stop = process.stop] failure in
                StandardError.writeLine("gatehouse: \(failure); the host ends")
                stop.ask(.journalFailed)
            } onDiagnostic: {
                Diagnostics([$0]).write()
            }
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            throw Ended(code: .journalFailed)
        }
        JournalPointer.remember(folder, beside: base)
        // Where no generation was recorded, the present plan reduces the journal.
        if plan.failure == nil { Diagnostics(journal.keepImages(of: plan)).write() }
        return (journal, try recover(plan, folder))
    }

    /// Recovers the contents of a journal.
    private func recover(_ plan: HostPlan, _ folder: String) throws(Ended) -> Recovery {
        let isRefused = plan.failure != nil
        let hang = plan.configuration.supervise.hang
        do throws(PastFailure) {
            return try Recovery(
                folder: folder, acceptsLoss: options.acceptsLoss,
                by: .children(
                    present: isRefused ? nil : plan, isStrict: options.isStrict,
                    patience: .seconds(hang == 0 ? 86_400 : hang),
                    reducesWithPresent: options.reducesWithPresent))
        } catch {
            for sentence in error.sentences { StandardError.writeLine("gatehouse: \(sentence)") }
            if case .unrunnable = error { throw Ended(code: .pluginRefused) }
            throw Ended(code: .journalFailed)
        }
    }

    /// The configuration of the journal, and its folder; nil where none is configured.
    ///
    /// For an unreadable configuration, the last generation that ran decides.
    private func journal(of plan: HostPlan, _ base: String) -> (JournalConfiguration, folder: String)? {
        if let kept = plan.configuration.journal, let folder = plan.configuration.journalFolder(from: base) {
            let mayFallBack = options.isService(plan.configuration) && !options.startsStrictly
            return plan.failure == nil || mayFallBack ? (kept, folder) : nil
        }
        guard plan.failure != nil, !options.startsStrictly, let last = JournalPointer.last(beside: base),
            let kept = last.configuration.journal, options.isService(last.configuration)
        else { return nil }
        return (kept, last.folder)
    }

    /// Makes the instances of a plan or, where it is refused and the run is a service, those of its last good generation.
    ///
    /// - Parameter make: tries a plan and makes its instances; its second argument is whether to leave out an instance that rejects
    ///   its state.
    /// - Returns: nil when the user asked to end.
    func prepare(
        _ plan: HostPlan, _ kept: KeptRun?, _ process: RunProcess,
        _ make: (HostPlan, Bool) throws(Refused) -> (HostPlan, Assembly)
    ) throws(Ended) -> Ready? {
        let mayFallBack =
            kept != nil && !options.startsStrictly && kept?.recovery.hasLastGood == true
            && (options.isService(plan.configuration) || plan.failure != nil)
        let diagnostics: Diagnostics
        do throws(Refused) {
            let made = try make(plan, !mayFallBack)
            return Ready(plan: made.0, assembly: made.1)
        } catch {
            switch error {
            case .refused(let found): diagnostics = found
            case .ended(let ended): throw ended
            case .stopped: return nil
            }
        }
        diagnostics.write()
        guard mayFallBack, let kept else { throw Ended(code: diagnostics.exitCode) }
        return try fallBack(plan, kept, diagnostics, make)
    }

    /// Makes the instances of the last good generation.
    private func fallBack(
        _ plan: HostPlan, _ kept: KeptRun, _ diagnostics: Diagnostics,
        _ make: (HostPlan, Bool) throws(Refused) -> (HostPlan, Assembly)
    ) throws(Ended) -> Ready? {
        let name = kept.recovery.lastGoodName
        let last: HostPlan
        do throws(Recovery.NoLastGood) {
            last = try kept.recovery.lastGood(insteadOf: plan, isStrict: options.isStrict)
                .wrapping(options.wrap)
        } catch {
            StandardError.writeLine(
                "gatehouse: the last good generation does not run either: \(error.reason)")
            throw Ended(code: diagnostics.exitCode)
        }
        do throws(Refused) {
            let made = try make(last, true)
            let sentence = "the configuration is refused, and the last good generation runs (\(name))"
            StandardError.writeLine(
                "gatehouse: \(sentence); correct the configuration, and the host switches to it")
            return Ready(plan: made.0, assembly: made.1, refused: (diagnostics, sentence))
        } catch {
            switch error {
            case .stopped: return nil
            case .ended(let ended): throw ended
            case .refused(let found):
                StandardError.writeLine("gatehouse: the last good generation (\(name)) does not run either")
                found.write()
                throw Ended(code: diagnostics.exitCode)
            }
        }
    }

    /// Tries the plugins of a plan before any of their code runs here; nil when the user asked to end.
    static func rehearse(
        _ plan: HostPlan, _ recovery: Recovery?, _ images: ImageCache, _ process: RunProcess
    ) -> HostPlan? {
        guard let recovery else { return Rehearsal(of: plan, images: images, stop: process.stop).result() }
        return recovery.rehearse(plan, images: images, stop: process.stop)
    }
}
