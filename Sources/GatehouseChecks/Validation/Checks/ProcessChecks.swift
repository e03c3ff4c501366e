// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

extension ValidationCheck {
    /// Checks on state that belongs to the whole process.
    package static let process: [ValidationCheck] =
        [
            written("process/standard-output", "It writes nothing to standard output.", STDOUT_FILENO) {
                bytes in
                .fail(
                    "expected nothing on standard output, where results belong, found \(shown(bytes)); use context.log"
                )
            },
            written("process/standard-error", "It writes nothing to standard error.", STDERR_FILENO) {
                bytes in
                .warn("expected nothing on standard error, found \(shown(bytes)); use context.log")
            },
            ValidationCheck("process/children", "It leaves no processes behind.", after: "actions/examples") {
                subject throws(CheckDiagnostic) in
                try exercise(subject)
                let left = Orphans.all.count
                return .fail(
                    "expected no processes when it has stopped, found \(left); end in stopping what the plugin starts, and wait for it",
                    unless: left == 0)
            },
            ValidationCheck(
                "process/files", "It writes nothing into the current folder.", after: "actions/examples"
            ) {
                subject throws(CheckDiagnostic) in
                try exercise(subject)
                let names = SystemFile.names(inFolder: Subject.workFolder).sorted()
                return .fail(
                    "expected no files in the current folder, found \(Quotation.list(of: names)); use context.dataDirectory",
                    unless: names.isEmpty)
            },
        ]
        + ProcessTrait.all.map { trait in
            ValidationCheck("process/\(trait.name)", trait.expectation, after: "actions/examples") {
                subject throws(CheckDiagnostic) in
                let before = trait.read()
                try exercise(subject)
                return .fail(forEach: trait.changes(from: before, to: trait.read()))
            }
        }

    /// Loads the plugin and uses it as a host does, from start to end.
    private static func exercise(_ subject: Subject) throws(CheckDiagnostic) {
        let host = try SubjectHost(subject)
        host.exercise()
        host.moveGate(open: false)
        host.moveGate(open: true)
        _ = try? host.writtenState()
        _ = host.end()
        host.retire()
    }

    /// Creates a check that nothing is written to a descriptor.
    private static func written(
        _ name: String, _ expectation: String, _ descriptor: Int32,
        _ diagnostic: @escaping @Sendable ([UInt8]) -> CheckDiagnostic
    ) -> ValidationCheck {
        ValidationCheck(name, expectation, after: "actions/examples") { subject throws(CheckDiagnostic) in
            let memory = unsafe gatehouse_memfd_create("written")
            let usual = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
            guard memory >= 0, usual >= 0, dup2(memory, descriptor) == descriptor else {
                return .skip("the system gives no memory to write to")
            }
            let result = Result { () throws(CheckDiagnostic) in try exercise(subject) }
            // The C library buffers output.
            _ = fflush(nil)
            dup2(usual, descriptor)
            try result.get()
            let bytes = (try? SystemFile.bytes(of: "/proc/self/fd/\(memory)", limit: 1 << 20)) ?? [0]
            return bytes.isEmpty ? .pass : diagnostic(bytes)
        }
    }

    /// Returns the beginning of the output.
    private static func shown(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(60), as: UTF8.self)
        return Quotation.of(text) + (bytes.count > 60 ? " and more" : "")
    }
}
