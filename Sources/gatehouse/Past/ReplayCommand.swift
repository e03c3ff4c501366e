// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHistory
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse replay`: compares what a configuration makes of recorded actions.
struct ReplayCommand {
    /// The options of the command line.
    let options: ReplayOptions

    /// Replays the journal, prints the differences, and ends with bad data when there are any.
    func run() -> ExitCode {
        let process = RunProcess(reports: Reporter { StandardError.writeLine($0.description) })
        defer { process.end() }
        let past = PastPlans(process)
        guard let journal = options.place.folder() else { return .configuration }
        let candidate: HostPlan
        let reference: Replay.Reference
        switch past.plan(options.config, with: options.library) {
        case .failure(let end): return end.code
        case .success(let plan): candidate = plan
        }
        if options.against == nil, options.library == nil {
            reference = .recorded(candidate)
        } else {
            switch past.plan(options.against ?? options.config) {
            case .failure(let end): return end.code
            case .success(let plan): reference = options.against == nil ? .recorded(plan) : .plan(plan)
            }
        }
        do throws(PastFailure) {
            let replay = Replay(
                of: candidate, against: reference, journal: journal, images: past.images)
            let outcome = try replay.run(from: options.from, to: options.to, last: options.last)
            if options.isJSON {
                process.output.writeLine { outcome.value.writeJSON(to: &$0, style: .pretty) }
            } else {
                process.output.writeText(outcome.lines.map(Quotation.bare).joined(separator: "\n"))
            }
            guard process.output.flush() == 0 else {
                StandardError.writeLine("gatehouse: the result cannot be written to standard output")
                return .internalError
            }
            return outcome.isSame && outcome.damage.isEmpty ? .success : .badData
        } catch {
            return past.tell(error)
        }
    }
}
