// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The file that runs the tests: a real library or program as the toolchain links it.
enum OwnExecutable {
    /// The system call that failed.
    struct Failure: Error {
        /// The name of the call.
        let call: String
    }

    /// Reads the whole file.
    static func bytes() throws -> [UInt8] {
        // The test runner may be a helper program that opens the tests as a library named on its command
        // line.
        let path = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? "/proc/self/exe"
        let file = unsafe open(path, O_RDONLY)
        guard file >= 0 else { throw Failure(call: "open \(path)") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(file, &chunk, chunk.count)
            guard count >= 0 else { throw Failure(call: "read \(path)") }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}
