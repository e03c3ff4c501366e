// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// Performs one check of a plugin, in a child of the host, and reports each step before it.
///
/// The plugin can damage only this process, which ends afterwards with everything it has started.
package struct ValidationChild {
    /// Reads a request from standard input, performs it, and ends the process.
    ///
    /// - Parameter descriptor: where the host listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        guard let bytes = try? SystemFile.bytes(of: "/proc/self/fd/0", limit: .max),
            let request = ValidationRequest(bytes: bytes), let check = ValidationCheck[request.check],
            check.runsCode
        else { _exit(EX_DATAERR) }
        // Standard input is not for the plugin.
        let nothing = unsafe open("/dev/null", O_RDONLY)
        if nothing >= 0 { dup2(nothing, STDIN_FILENO) }
        unsafe mkdir(Subject.workFolder, 0o700)
        unsafe chdir(Subject.workFolder)
        Orphans.adopt()
        // As in a run.
        _ = gatehouse_outlive(SIGPIPE)
        let writer = ChildEventWriter(descriptor: descriptor)
        guard let subject = Subject(request, writer: writer) else { _exit(EX_DATAERR) }
        let diagnostic: CheckDiagnostic
        do throws(CheckDiagnostic) {
            switch check.work {
            case .child(let work): diagnostic = try work(subject)
            case .worker:
                writer.tell(ValidationEvent.answers(try SampleAnswers(of: subject)).line)
                diagnostic = .pass
            case .file: _exit(EX_DATAERR)
            }
        } catch {
            diagnostic = error
        }
        if subject.examples != request.examples {
            writer.tell(ValidationEvent.examples(subject.examples).line)
        }
        writer.tell(ValidationEvent.diagnostic(diagnostic).line)
        writer.tell(ValidationEvent.end.line)
        Orphans.end()
        // Like the host: without the libraries' exit handlers.
        _exit(EXIT_SUCCESS)
    }
}
