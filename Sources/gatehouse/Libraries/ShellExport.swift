// SPDX-License-Identifier: Apache-2.0

/// A line by which a shell exports a variable.
enum ShellExport {
    /// The line; the value means itself, whatever is in it.
    static func text(_ name: String, _ value: String) -> String {
        let parts = value.split(separator: "'", omittingEmptySubsequences: false)
        return "export \(name)='\(parts.joined(separator: "'\\''"))'"
    }
}
