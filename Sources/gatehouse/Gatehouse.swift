// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// The program: parses, runs, exits.
@main
enum Gatehouse {
    /// Runs the command line and ends the process with its exit code.
    static func main() {
        // A file size limit must be an error for the writer, not the end of the process.
        _ = gatehouse_outlive(SIGXFSZ)
        StandardDescriptors.occupyClosed()
        OpenFiles.raiseLimit()
        end(with: run(CommandLine.arguments))
    }

    /// Ends the process; callable on the thread that has done the command's work.
    static func end(with code: ExitCode) -> Never {
        // The C library buffers the output of help and version, and exit would not report a failure.
        guard fflush(nil) == 0 else {
            gatehouse_announce_end(ExitCode.internalError.rawValue)
            StandardError.writeLine("gatehouse: standard output: \(SystemReason.last)")
            _exit(ExitCode.internalError.rawValue)
        }
        // A supervisor treats an unannounced end as a death.
        gatehouse_announce_end(code.rawValue)
        // Not through `exit`: it runs the exit handlers of libraries in no defined order, and a damaged one would turn a good
        // run into a crash.
        _exit(code.rawValue)
    }

    /// Runs one command line, which begins with the program's name.
    private static func run(_ arguments: [String]) -> ExitCode {
        // Swift reads the arguments from there; without it, it returns none.
        guard !arguments.isEmpty else {
            StandardError.writeLine(
                "gatehouse: the arguments cannot be read from /proc/self/cmdline; mount /proc")
            return .internalError
        }
        for index in arguments.indices {
            guard let argument = unsafe CommandLine.unsafeArgv[index],
                unsafe String(validatingCString: argument) == nil
            else { continue }
            StandardError.writeLine(
                unsafe "gatehouse: expected arguments in UTF-8, found \(SystemFile.shown(argument)); rename the file, or link to it"
            )
            return .usage
        }
        do {
            switch try Arguments.parse(Array(arguments.dropFirst())) {
            case .run(let options):
                if options.isSupervised { Supervisor(options: options).run() }
                return RunCommand(options: options).run()
            case .check(let options): return CheckCommand(options: options).run()
            case .list(let options): return ListCommand(options: options).run()
            case .plan(let options): return PlanCommand(options: options).run()
            case .inspect(let options): return InspectCommand(options: options).run()
            case .test(let options): return TestCommand(options: options).run()
            case .validate(let options): return ValidateCommand(options: options).run()
            case .probe(let options): return ProbeCommand(options: options).run()
            case .control(let options): return CtlCommand(options: options).run()
            case .cluster(let options): return ClusterCommand(options: options).run()
            case .history(let options): return HistoryCommand(options: options).run()
            case .state(let options): return StateCommand(options: options).run()
            case .replay(let options): return ReplayCommand(options: options).run()
            case .backup(let options): return BackupCommand(options: options).run()
            case .restore(let options): return RestoreCommand(options: options).run()
            case .new(let options): return NewCommand(options: options).run()
            case .sdk(let form): return SDKCommand(form: form).run()
            case .child(let task, let descriptor, let host):
                return MainQueue.serve { task.perform(tellingTo: descriptor, of: host) }
            case .version(let isJSON): return VersionCommand(isJSON: isJSON).run()
            case .help(let options):
                Results.write(options.text)
                return .success
            }
        } catch {
            StandardError.writeLine("gatehouse: \(error)")
            return .usage
        }
    }
}
