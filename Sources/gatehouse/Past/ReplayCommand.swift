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
    }

    /// Replays the journal, prints the differences, and ends with bad data when there are any.
    func run() throws(Ended) -> ExitCode {
        let process = RunProcess(reports: Reporter { StandardError.write($0.entry) })
        defer { process.end() }
        let images = ImageCache(folder: CacheFolder.current)
        let journal = try options.journalFolder()
        let candidate = try options.file.plan(with: options["--with"]).tried(images, process.stop)
        let reference: Trial.Reference =
            if let path = options["--against"] {
                .plan(try ConfigurationFile(path: path).plan().tried(images, process.stop))
            } else if options.has("--with") {
                .recorded(try options.file.plan().tried(images, process.stop))
            } else {
                .recorded(candidate)
            }
        do throws(PastFailure) {
            let trial = Trial(of: candidate, against: reference, journal: journal, images: images)
            let outcome = try trial.run(TrialExtent(from: from, to: to, last: last))
            if options.isJSON {
                process.output.writeLine { outcome.value.writeJSON(to: &$0, style: .pretty) }
            } else {
                process.output.writeText(outcome.lines.map(Quotation.bare).joined(separator: "\n"))
            }
            guard process.output.flush() == 0 else {
                return .internalError.because("the result cannot be written to standard output")
            }
            return outcome.isSame && outcome.damage.isEmpty ? .success : .badData
        } catch {
            return error.report()
        }
    }
}
