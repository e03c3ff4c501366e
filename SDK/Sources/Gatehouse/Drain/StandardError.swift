// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Reports problems to a developer who set no other hook; for all modules of the SDK.
package enum StandardError {
    /// Writes one line, preceded by the module's name; drops it if it cannot be written.
    ///
    /// The corresponding C function is `write`.
    package static func report(_ problem: some CustomStringConvertible, by module: String = "Gatehouse") {
        let line = Array("\(module): \(problem)\n".utf8)
        unsafe line.withUnsafeBytes { bytes in
            _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
