// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// What a child of the host finds on standard input.
package enum ChildRequest {
    /// Makes the process ready to run plugins, and gives the bytes of its request.
    package static func bytes() -> [UInt8] {
        guard let bytes = try? SystemFile.bytes(of: "/proc/self/fd/0", limit: .max) else {
            _exit(EX_DATAERR)
        }
        // What a plugin reads there is meant for nobody.
        let nothing = unsafe open("/dev/null", O_RDONLY)
        if nothing >= 0 { dup2(nothing, STDIN_FILENO) }
        // As in a run.
        _ = gatehouse_outlive(SIGPIPE)
        return bytes
    }
}
