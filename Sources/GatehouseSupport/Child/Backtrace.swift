// SPDX-License-Identifier: Apache-2.0

/// What a Swift process says when it dies, made short enough for a message.
package enum Backtrace {
    /// The environment variable that makes the runtime say something, and its value.
    package static let setting = (
        name: "SWIFT_BACKTRACE",
        value:
            "enable=yes,interactive=no,color=no,threads=crashed,registers=none,images=none,sanitize=no,limit=32,timeout=5s,output-to=stderr"
    )

    /// How many calls are shown at most.
    private static let shown = 8

    /// The reason and the innermost calls, one line each; empty when the process said nothing of the kind.
    ///
    /// Calls are given down to the outermost one of the library, and without one of it not at all: they would lead nowhere. Code
    /// that the compiler made up is left out.
    package static func lines(in words: String, library: String) -> [String] {
        let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
        let reason = lines.last { $0.contains(": Fatal error") || $0.hasPrefix("Fatal error") }
        guard let start = lines.lastIndex(where: { $0.hasPrefix("Thread ") && $0.contains(" crashed") })
        else { return reason.map { [String($0)] } ?? [] }
        let calls = lines[(start + 1)...].drop { $0.isEmpty }.prefix { !$0.isEmpty }.compactMap(call)
            .filter { !$0.contains("<compiler-generated>") }
        let own = calls.lastIndex { $0.contains(" in \(library)") }.map { calls[...$0] } ?? []
        return (reason.map { [String($0)] } ?? []) + own.prefix(shown).map { "at " + $0 }
    }

    /// Whether a process has said all that it has to say.
    package static func isWhole(in words: String) -> Bool { words.contains("Backtrace took") }

    /// What stands after the address of a call: function, library and line. Nil for a line that is no call.
    private static func call(_ line: Substring) -> String? {
        guard let address = line.firstRange(of: "0x") else { return nil }
        let rest = line[address.lowerBound...].drop { $0 != " " }.drop { $0 == " " }
        return rest.isEmpty ? nil : String(rest)
    }
}
