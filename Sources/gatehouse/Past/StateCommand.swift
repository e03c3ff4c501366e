// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHistory
internal import GatehouseLibrary
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// `gatehouse state`: prints the state after a past action.
struct StateCommand: ParsedCommand {
    /// The parsed command line.
    private let options: OptionReader
    /// The action after which the state is wanted; nil for the last one.
    private let sequence: UInt64?
    /// The place in the state to print.
    private let pointer: JSONPointer

    init(options: OptionReader) throws(UsageError) {
        self.options = options
        sequence = try options.number(
            "--at", from: 0, expected: "the number of an action, or 0 for the beginning")
        let text = options.operands.first ?? ""
        do {
            pointer = try JSONPointer(text)
        } catch {
            throw .malformedValue(
                option: "state", found: text, expected: "a JSON Pointer such as \"/orders/eu\"")
        }
    }

    /// Reconstructs the state with the generations that ran at the time, and prints it; writes nothing else
    /// anywhere.
    func run() throws(Ended) -> ExitCode {
        let process = RunProcess(reports: Reporter { StandardError.write($0.entry) })
        defer { process.end() }
        let images = ImageCache(folder: CacheFolder.current)
        let journal = try options.journalFolder()
        var ended: ExitCode?
        do throws(PastFailure) {
            let maker = try PastStateMaker(journal: journal, isStrict: false) {
                () throws(PastFailure) in
                do throws(Ended) {
                    return (try options.file.plan().tried(images, process.stop), images)
                } catch {
                    ended = error.code
                    throw .child("")
                }
            }
            guard let sequence = try sequence(in: maker) else { return .badData }
            let state = try maker.state(behind: sequence)
            for diagnostic in maker.diagnostics { StandardError.writeLine("\(diagnostic)") }
            guard let value = state[pointer] else {
                return .badData.because("the state has nothing at \(pointer)")
            }
            process.output.writeLine { value.writeJSON(to: &$0, style: .pretty) }
            guard process.output.flush() == 0 else {
                return .internalError.because("the state cannot be written to standard output")
            }
            return .success
        } catch {
            return ended ?? error.report()
        }
    }

    /// The action after which the state is wanted; nil, after reporting it, when the journal does not have
    /// it.
    private func sequence(in maker: PastStateMaker) throws(PastFailure) -> UInt64? {
        let last = try maker.last()
        guard let sequence else { return last }
        if sequence <= last { return sequence }
        StandardError.tell("the journal has no action \(sequence); its last one is \(last)")
        return nil
    }
}
