// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Tells a developer who asked for nothing else what went wrong.
enum StandardError {
    /// Writes one line; a line that cannot be written is lost. The corresponding C function is `write`.
    static func report(_ problem: some CustomStringConvertible) {
        let line = Array("Gatehouse: \(problem)\n".utf8)
        unsafe line.withUnsafeBytes { bytes in
            _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
