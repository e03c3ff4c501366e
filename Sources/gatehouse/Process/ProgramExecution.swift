// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// Lets another program go on in this process, with the command line of this one.
enum ProgramExecution {
    /// Executes a program; returns only when that fails, with the system's reason.
    ///
    /// - Parameter environment: one `NAME=value` each.
    static func execute(_ program: String, in environment: [String]) -> SystemFailure {
        var arguments = unsafe CommandLine.arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        _ = unsafe execve(program, &arguments, &variables)
        let failure = SystemFailure.last
        unsafe arguments.forEach { unsafe free($0) }
        unsafe variables.forEach { unsafe free($0) }
        return failure
    }
}
