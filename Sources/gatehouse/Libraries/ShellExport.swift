// SPDX-License-Identifier: Apache-2.0

/// A shell command that exports a variable.
enum ShellExport {
    /// The command; it quotes the value, so that no character has a special meaning.
    static func text(_ name: String, _ value: String) -> String {
        let parts = value.split(separator: "'", omittingEmptySubsequences: false)
        return "export \(name)='\(parts.joined(separator: "'\\''"))'"
    }
}
