// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseHistory
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse replay`: compares what a configuration makes of recorded actions.
struct ReplayCommand: ParsedCommand {
    /// The parsed command line.
    private let options: OptionReader
    /// The first action; nil for the oldest one.
    private let from: UInt64?
    /// The last action; nil for the newest one.
    private let to: UInt64?
    /// The number of actions, the newest ones; nil for all.
    private let last: UInt64?

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        from = try options.sequence("--from")
        to = try options.sequence("--to")
        last = try options.sequence("--last")
        try options.exclude(["--from", "--to"], beside: "--last")
        guard !options.operands.isEmpty,
            let other = ["--journal", "--from", "--to", "--last"].first(where: options.has)
        else { return }
        throw .exclusiveOptions(other, "FILE")
    }

    /// Replays the journal, or the lines of a file; prints the differences, and ends with bad data when there are any.
    func run() throws(Ended) -> ExitCode {
        let process = RunProcess(reports: Reporter { StandardError.write($0.entry) })
        defer { process.end() }
        let images = ImageCache(folder: CacheFolder.current)
        let plan = try options.file.plan(with: options["--with"])
        let other: HostPlan? =
            if let path = options["--against"] {
                try ConfigurationFile(path: path).plan()
            } else if options.has("--with") {
                try options.file.plan()
            } else {
                nil
            }
        try process.giveWay(for: [plan] + [other].compactMap(\.self))
        let stretch = try told(process.stop)
        let journal = if let stretch { stretch.journal } else { try options.journalFolder() }
        let candidate = try plan.tried(images, process.stop)
        let tried = try other?.tried(images, process.stop) ?? candidate
        let reference = options.has("--against") ? .plan(tried) : Self.reference(tried, stretch)
        defer { withExtendedLifetime(stretch) {} }
        do throws(PastFailure) {
            let trial = Trial(of: candidate, against: reference, journal: journal, images: images)
            return try trial.run(TrialExtent(from: from, to: to, last: last)).print(
                to: process.output, isJSON: options.isJSON)
        } catch {
            return error.report()
        }
    }

    /// The lines to replay, in a journal that goes with them; nil without a file of lines.
    private func told(_ stop: StopRequest) throws(Ended) -> ToldStretch? {
        guard let path = options.operands.first else { return nil }
        let stretch: ToldStretch
        do throws(ToldStretchFailure) {
            stretch = try ToldStretch(path: path, stop: stop)
        } catch {
            for sentence in error.sentences { StandardError.tell(sentence, .error) }
            throw Ended(code: error.isBadData ? .badData : .usage)
        }
        guard stretch.isRecorded || options.has("--against") || options.has("--with") else {
            throw Ended(
                .usage,
                "\(path): does not tell what followed from each action; name a configuration to compare with by --against, or a library to try by --with"
            )
        }
        return stretch
    }

    /// What the candidate is compared with: the record, or, where lines do not tell what followed, what a plan makes of them.
    private static func reference(_ plan: HostPlan, _ stretch: ToldStretch?) -> Trial.Reference {
        stretch?.isRecorded == false ? .plan(plan) : .recorded(plan)
    }
}

extension TrialOutcome {
    /// Prints the differences; returns bad data when there are any.
    func print(to output: StandardOutput, isJSON: Bool) -> ExitCode {
        if isJSON {
            output.writeLine { value.writeJSON(to: &$0, style: .pretty) }
        } else {
            output.writeText(lines.map(Quotation.bare).joined(separator: "\n"))
        }
        guard output.flush() == 0 else {
            return .internalError.because("the result cannot be written to standard output")
        }
        return isSame && damage.isEmpty ? .success : .badData
    }
}
