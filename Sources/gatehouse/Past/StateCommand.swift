// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost
internal import GatehouseSDK

/// `gatehouse state`: the state as it was behind some action of the past.
struct StateCommand {
    /// The options of the command line.
    let options: StateOptions

    /// Brings a host there by its reducers, and prints its state; writes nothing else anywhere.
    func run() -> ExitCode {
        let process = RunProcess(reports: ReportDesk { StandardError.writeLine($0.description) })
        defer { process.end() }
        let past = PastPlans(process)
        guard let journal = options.place.folder() else { return .configuration }
        let plan: HostPlan
        switch past.plan(options.config) {
        case .failure(let end): return end.code
        case .success(let found): plan = found
        }
        do throws(PastHost.Failure) {
            let sequence = try sequence(in: journal)
            guard let sequence else { return .badData }
            let host = try PastHost(plan, behind: sequence, in: journal, images: past.images)
            for finding in host.findings { StandardError.writeLine("\(finding)") }
            let value: Value?
            do {
                value = try host.state(at: options.pointer)
            } catch {
                StandardError.writeLine("gatehouse: the state cannot be written as JSON: \(error)")
                return .badData
            }
            guard let value else {
                StandardError.writeLine("gatehouse: the state has nothing at \(options.pointer)")
                return .badData
            }
            process.output.writeLine { value.writeJSON(to: &$0, style: .pretty) }
            guard process.output.flush() == 0 else {
                StandardError.writeLine("gatehouse: the state cannot be written to standard output")
                return .internalError
            }
            return .success
        } catch {
            return past.tell(error)
        }
    }

    /// The action behind which the state is wanted; nil, after saying so, when the journal does not have it.
    private func sequence(in journal: String) throws(PastHost.Failure) -> UInt64? {
        do throws(JournalFailure) {
            let bounds = try History(folder: journal).bounds()
            let last = bounds?.upperBound ?? 0
            guard let sequence = options.sequence else { return last }
            if sequence <= last { return sequence }
            StandardError.writeLine(
                "gatehouse: the journal has no action \(sequence); its last one is \(last)")
            return nil
        } catch {
            throw .journal(error)
        }
    }
}
