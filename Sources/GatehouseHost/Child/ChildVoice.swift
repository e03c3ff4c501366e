// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// Tells the host, from a child of it, what the child does: line by line.
struct ChildVoice: Sendable {
    /// The descriptor from which the host reads.
    let descriptor: Int32

    /// Writes a line, at once and whole; ends the process when nobody can hear it.
    func tell(_ line: String) {
        // Otherwise nobody would learn what comes next, and the host knows what came last.
        guard SystemFile.write(Array((line + "\n").utf8), to: descriptor) else { _exit(EX_IOERR) }
    }
}
