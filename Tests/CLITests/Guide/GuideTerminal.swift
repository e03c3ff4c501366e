// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc

/// A shell that somebody types into who reads a document. What it prints, words and errors, is in one stream, as on a screen.
final class GuideTerminal {
    private let shell: ChildProcess
    /// How many characters of what it printed have been looked at.
    private var seen = 0
    /// Stands between what a command has printed and its exit code.
    private static let mark: Character = "\u{1}"
    /// The exit code of the last command that has ended.
    private(set) var code: Int32 = 0
    /// Whether a command runs.
    private(set) var isBusy = false

    /// Opens a terminal in a folder.
    init(in folder: String, environment: [String: String]) throws {
        // A group of its own, so that nothing is left of a command that does not end.
        shell = try ChildProcess(
            "/usr/bin/setsid", ["/bin/sh", "-c", "exec bash --norc --noprofile 2>&1"], in: folder,
            environment: environment)
    }

    deinit { shell.signalGroup(SIGKILL) }

    /// Types a command, once there is no other.
    func type(_ command: String) {
        shell.write(
            "{ (exit \(code))\n\(command)\n} </dev/null; printf '\\1%d\\n' $?\n")
        isBusy = true
    }

    /// Waits until the command has ended; gives the lines that have not been looked at.
    func finishCommand() throws -> [String] {
        guard isBusy else { return [] }
        let text = try shell.waitForOutput { text in
            text.dropFirst(seen).firstIndex(of: Self.mark).map { text[$0...].contains("\n") } ?? false
        }
        let rest = text.dropFirst(seen)
        let end = rest.firstIndex(of: Self.mark) ?? rest.endIndex
        let number = rest[end...].dropFirst().prefix { $0 != "\n" }
        code = Int32(number) ?? -1
        isBusy = false
        seen += rest[..<end].count + number.count + 2
        return Self.lines(rest[..<end])
    }

    /// Waits for so many lines, or for the command's end; gives the lines.
    func lines(_ count: Int) throws -> [String] {
        let text = try shell.waitForOutput { text in
            let rest = text.dropFirst(seen)
            return rest.contains(Self.mark) || rest.count { $0 == "\n" } >= count
        }
        let rest = text.dropFirst(seen)
        if rest.contains(Self.mark) { return try finishCommand() }
        let lines = Self.lines(rest).prefix(count)
        seen += lines.reduce(0) { $0 + $1.count + 1 }
        return Array(lines)
    }

    /// Leaves the shell; nothing is to run in it.
    func leave() throws {
        shell.closeInput()
        _ = try shell.finish()
    }

    /// Lines of a text, the last one with or without its ending.
    private static func lines(_ text: Substring) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return lines.last == "" ? lines.dropLast() : lines
    }
}
