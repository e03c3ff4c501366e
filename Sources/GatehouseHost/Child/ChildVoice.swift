// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Tells the host, from a child of it, what the child does: line by line.
struct ChildVoice: Sendable {
    /// The descriptor from which the host reads.
    let descriptor: Int32

    /// Writes a line, at once and whole; ends the process when nobody can hear it.
    func tell(_ line: String) {
        var rest = Array((line + "\n").utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                // Nobody would learn what comes next, and the host knows what came last.
                _exit(EX_IOERR)
            }
            rest = rest.dropFirst(count)
        }
    }
}
