// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHistory
internal import GatehouseRuntime
internal import GatehouseSDK

/// `gatehouse state`: prints the state after a past action.
struct StateCommand {
    /// The options of the command line.
    let options: StateOptions

    /// Reconstructs the state with the generations that ran at the time, and prints it; writes nothing else
    /// anywhere.
    func run() -> ExitCode {
        let process = RunProcess(reports: Reporter { StandardError.writeLine($0.description) })
        defer { process.end() }
        let past = PastPlans(process)
        guard let journal = options.place.folder() else { return .configuration }
        var ended: ExitCode?
        do throws(PastFailure) {
            let maker = try PastStateMaker(journal: journal, isStrict: false) {
                () throws(PastFailure) in
                switch past.plan(options.config) {
                case .failure(let end):
                    ended = end.code
                    throw .child("")
                case .success(let plan): return (plan, past.images)
                }
            }
            guard let sequence = try sequence(in: maker) else { return .badData }
            let state = try maker.state(behind: sequence)
            for diagnostic in maker.diagnostics { StandardError.writeLine("\(diagnostic)") }
            guard let value = state[options.pointer] else {
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
            return ended ?? past.tell(error)
        }
    }

    /// The action after which the state is wanted; nil, after reporting it, when the journal does not have
    /// it.
    private func sequence(in maker: PastStateMaker) throws(PastFailure) -> UInt64? {
        let last = try maker.last()
        guard let sequence = options.sequence else { return last }
        if sequence <= last { return sequence }
        StandardError.writeLine("gatehouse: the journal has no action \(sequence); its last one is \(last)")
        return nil
    }
}
