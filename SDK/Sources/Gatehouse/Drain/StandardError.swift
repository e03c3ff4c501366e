// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Tells a developer who asked for nothing else what went wrong; for all modules of the SDK.
package enum StandardError {
    /// Writes one line behind the name of the module; a line that cannot be written is lost. The corresponding C function
    /// is `write`.
    package static func report(_ problem: some CustomStringConvertible, by module: String = "Gatehouse") {
        let line = Array("\(module): \(problem)\n".utf8)
        unsafe line.withUnsafeBytes { bytes in
            _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
