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
            StandardError.tell("standard output: \(SystemReason.last)")
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
            return .internalError.because("the arguments cannot be read from /proc/self/cmdline; mount /proc")
        }
        for index in arguments.indices {
            guard let argument = unsafe CommandLine.unsafeArgv[index],
                unsafe String(validatingCString: argument) == nil
            else { continue }
            return .usage.because(
                unsafe "expected arguments in UTF-8, found \(SystemFile.shown(argument)); rename the file, or link to it"
            )
        }
        if let child = ChildCommand(arguments) { return child.run() }
        let parsed: any ParsedCommand
        do throws(UsageError) {
            parsed = try command(of: arguments.dropFirst())
        } catch {
            return .usage.because("\(error)")
        }
        do throws(Ended) { return try parsed.run() } catch { return error.code }
    }

    /// Parses the arguments after the program's name.
    private static func command(of arguments: ArraySlice<String>) throws(UsageError) -> any ParsedCommand {
        let word = arguments.first ?? "help"
        let rest = arguments.dropFirst()
        guard let command = CommandTable[aliases[word] ?? word] else { throw .unknownCommand(word) }
        if rest.contains("--help") || rest.contains("-h") {
            return try HelpCommand(options: OptionReader([command.name], of: CommandTable.help))
        }
        return try command.type.init(options: OptionReader(rest, of: command))
    }

    /// Conventional options that other programs use instead of a command.
    private static let aliases = ["--version": "version", "--help": "help", "-h": "help"]
}
