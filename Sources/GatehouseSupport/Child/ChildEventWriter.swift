// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Tells the host, from a child of it, what the child does: line by line.
package struct ChildEventWriter: Sendable {
    /// The descriptor from which the host reads.
    package let descriptor: Int32

    /// Writes to where the parent listens.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Writes a line, at once and whole; ends the process when nobody can hear it.
    package func tell(_ line: String) {
        // Otherwise nobody would learn what comes next, and the host knows what came last.
        guard SystemFile.write(Array((line + "\n").utf8), to: descriptor) else { _exit(EX_IOERR) }
    }
}
