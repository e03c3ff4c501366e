// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Glibc

/// Compares the toolchain of a C compiler, which has the identity of the Swift compiler beside it, with the one that built this
/// tool.
///
/// - Throws: `ToolError` when the tool would write the identity of another toolchain.
func checkToolchain(of compiler: String) throws(ToolError) {
    let expected = compilerIdentity()
    let line = try versionLine(of: compiler)
    // A vendor's name may precede it.
    let found = line.firstRange(of: "version ").map { String(line[$0.upperBound...]) } ?? line
    guard found == expected else {
        throw .toolchain(path: compiler, expected: expected, found: found.isEmpty ? "nothing" : found)
    }
}

/// Returns the first line of a compiler's version; empty for a compiler that does not run.
private func versionLine(of compiler: String) throws(ToolError) -> String {
    let quoted =
        "'" + compiler.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        + "'"
    guard let pipe = unsafe popen(quoted + " --version", "r") else {
        throw .file(path: compiler, "cannot run it: \(unsafe String(cString: strerror(errno)))")
    }
    defer { _ = unsafe pclose(pipe) }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { unsafe free(line) }
    guard unsafe getline(&line, &capacity, pipe) > 0, let line = unsafe line else { return "" }
    return unsafe String(String(cString: line).prefix { !$0.isNewline })
}
