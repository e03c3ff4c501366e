// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// The journal of a run, and where the previous run ended.
///
/// Whoever keeps it keeps the recovered state.
final class RunJournal {
    /// What the previous run left in it, or what the host before has written so far.
    let recovery: Recovery
    /// The journal; nil before `open`.
    private var opened: HostJournal?
    /// The configuration of the journal.
    private let configuration: JournalConfiguration
    /// The folder of the journal.
    private let folder: String
    /// The command line, and the process.
    private let context: RunContext

    /// Opens the journal, and recovers what the previous run left in it; nil if none is configured.
    ///
    /// Also does so for a refused configuration of a service, because its last good generation may run. A process that goes on for another
    /// host only reads the journal, until `open`.
    ///
    /// - Parameter written: the plan before quarantine.
    init?(
        of written: HostPlan, _ configuration: RunConfiguration, _ crashes: CrashLog, _ context: RunContext
    ) throws(Ended) {
        let (options, base) = (context.options, configuration.file.folder)
        let plan = written.quarantining(crashes.known())
        guard let (kept, folder) = Self.journal(of: plan, base, options) else {
            guard context.predecessor == nil || plan.configuration.cluster != nil else {
                throw Ended(
                    .configuration,
                    "the configuration names no journal, so this process cannot go on where the running host stands"
                )
            }
            return nil
        }
        (self.configuration, self.folder, self.context) = (kept, folder, context)
        if let predecessor = context.predecessor {
            try predecessor.check(journal: folder)
        } else {
            let journal = try Self.open(kept, folder, context)
            opened = journal
            JournalPointer.remember(folder, beside: base)
            // Where no generation was recorded, the present plan reduces the journal.
            if plan.failure == nil { Diagnostics(journal.keepImages(of: plan)).write() }
        }
        recovery = try Self.recover(plan, folder, options)
        if context.predecessor == nil { crashes.note(recovery) } else { try refuseFallen() }
    }

    /// The journal, which is open.
    var journal: HostJournal {
        guard let opened else { preconditionFailure("a run opens its journal before its host is made") }
        return opened
    }

    /// Opens the journal for writing, unless it is open, and keeps the images of a plan there; or reports why it cannot be opened.
    func open(keeping plan: HostPlan) throws(Ended) {
        guard opened == nil else { return }
        let journal = try Self.open(configuration, folder, context)
        opened = journal
        Diagnostics(journal.keepImages(of: plan)).write()
    }

    /// Reduces what the host before has written meanwhile, until little is left.
    func follow() throws(Ended) {
        for _ in 0..<Self.mostRounds where try reduceRest() > Self.littleLeft {}
    }

    /// Reduces what the host before has written meanwhile; returns how many actions that were.
    @discardableResult
    func reduceRest() throws(Ended) -> UInt64 {
        let count: UInt64
        do throws(PastFailure) { count = try recovery.follow() } catch { throw Self.report(error) }
        try refuseFallen()
        return count
    }

    /// Refuses to go on for a host whose reducers work, where they fail here on what that has done.
    private func refuseFallen() throws(Ended) {
        let fallen = recovery.fallen
        guard !fallen.isEmpty else { return }
        for library in fallen { StandardError.tell("\(library.plugin): \(library.reason)", .error) }
        throw Ended(code: .pluginRefused)
    }

    /// How often the host before is followed before it must stand still.
    private static let mostRounds = 10
    /// So few actions are reduced quickly while the host before stands still.
    private static let littleLeft: UInt64 = 1_000

    /// Opens a journal for writing, or reports why it cannot be opened.
    private static func open(
        _ kept: JournalConfiguration, _ folder: String, _ context: RunContext
    ) throws(Ended) -> HostJournal {
        do throws(JournalFailure) {
            return try HostJournal(
                kept, folder: folder, acceptsLoss: context.options.leniency.acceptsLoss
            ) { [stop = context.process.stop] failure in
                StandardError.tell("\(failure); the host ends", .error)
                stop.ask(.journalFailed)
            } onDiagnostic: {
                Diagnostics([$0]).write()
            }
        } catch {
            throw Ended(.journalFailed, "\(error)")
        }
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
            throw report(error)
        }
    }

    /// Reports why the past cannot be recovered.
    private static func report(_ failure: PastFailure) -> Ended {
        for sentence in failure.sentences { StandardError.tell("\(sentence)", .error) }
        if case .unrunnable = failure { return Ended(code: .pluginRefused) }
        return Ended(code: .journalFailed)
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
