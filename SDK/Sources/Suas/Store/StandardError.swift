// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Writes problems where a developer sees them.
enum StandardError {
    /// Writes the problem as one line; a line that cannot be written is lost. The corresponding C function is `write`.
    static func report(_ problem: StoreProblem) {
        let line = Array("Suas: \(problem)\n".utf8)
        unsafe line.withUnsafeBytes { bytes in
            _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
