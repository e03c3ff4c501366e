// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport

/// `gatehouse run`: runs the components of a host until its inputs have ended or it is asked to end.
struct RunCommand: ParsedCommand {
    /// The parsed command line.
    private let options: RunOptions

    init(options: OptionReader) throws(UsageError) { self.options = try RunOptions(options) }

    /// Runs the host, or a supervisor of it, and ends the process; returns an exit code only when nothing was done.
    func run() throws(Ended) -> ExitCode {
        if options.isSupervised { Supervisor(options: options).run() }
        guard OpenFiles.haveRoom() else {
            return .internalError.because(
                "a run needs to open \(OpenFiles.room) files beside its libraries, and the limit is too low; raise the limit with ulimit -n"
            )
        }
        let context = try RunContext(options: options)
        return MainQueue.serve {
            var parts = Lifecycle<ExitCode>()
            var code: ExitCode
            do throws(Ended) {
                let run = try Composition(context: context).prepare(&parts)
                // Reading and planning a configuration take more memory than a host of it keeps.
                gatehouse_trim_heap()
                try parts.begin()
                guard let ended = run.finish() else {
                    // What the components hold belongs to the process that goes on.
                    context.process.end()
                    Gatehouse.end(with: .success)
                }
                code = ended
            } catch {
                code = error.code
                // What the components hold is still the other host's, which goes on.
                if context.predecessor?.hasLetGo == false { Gatehouse.end(with: code) }
            }
            code = parts.end(code)
            context.process.end()
            Gatehouse.end(with: code)
        }
    }
}
