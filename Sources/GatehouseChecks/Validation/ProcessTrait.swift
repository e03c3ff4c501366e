// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// A property of the whole process, which no plugin may change.
struct ProcessTrait: Sendable {
    /// The part of the check's name after the slash.
    let name: String
    /// The expectation, as one sentence.
    let expectation: String
    /// The alternative for authors, as a clause.
    let advice: String
    /// Lists the current values, part by part.
    let list: @Sendable () -> [(part: String, value: String)]

    /// All traits that are checked.
    static let all: [ProcessTrait] = [
        ProcessTrait(
            name: "signals", expectation: "It does not change what signals do.",
            advice: "leave signals to the host"
        ) {
            (1...64).map { (number: Int32) in
                let action = gatehouse_signal_action(number)
                let text = action == 0 ? "its default" : action == 1 ? "ignored" : "a handler"
                // Replacing one handler by another is a change too.
                return (SignalName.of(number), action > 1 ? "\(text) \(action)" : text)
            }
        },
        ProcessTrait(
            name: "signal-mask", expectation: "It blocks no signals on the thread that calls it.",
            advice: "block signals on threads of its own only"
        ) {
            var blocked = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
            return (1...64).map { (number: Int32) in
                let isBlocked = unsafe sigismember(&blocked, number) == 1
                return (SignalName.of(number), isBlocked ? "blocked" : "not blocked")
            }
        },
        ProcessTrait(
            name: "environment", expectation: "It leaves the environment alone.",
            advice: "take what the plugin needs as settings"
        ) {
            var all: [(String, String)] = []
            var entry = unsafe environ
            while let text = unsafe entry.pointee {
                let parts = unsafe String(cString: text).split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                all.append((String(parts[0]), parts.count > 1 ? String(parts[1]) : ""))
                unsafe entry += 1
            }
            return all
        },
        ProcessTrait(
            name: "umask", expectation: "It leaves the mode of new files alone.",
            advice: "give open the mode that is meant"
        ) {
            let mask = umask(0)
            _ = umask(mask)
            return [("umask", String(mask, radix: 8))]
        },
        ProcessTrait(
            name: "folder", expectation: "It leaves the current folder alone.", advice: "use whole paths"
        ) {
            [("the current folder", SystemFile.currentFolder)]
        },
        ProcessTrait(
            name: "locale", expectation: "It leaves the locale alone.",
            advice: "use the functions that take a locale"
        ) {
            [("the locale", unsafe setlocale(LC_ALL, nil).map { unsafe String(cString: $0) } ?? "none")]
        },
        ProcessTrait(
            name: "limits", expectation: "It leaves the limits of the process alone.",
            advice: "leave them to the operator"
        ) {
            // In the order of their numbers.
            let names = [
                "CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS", "LOCKS",
                "SIGPENDING", "MSGQUEUE", "NICE", "RTPRIO", "RTTIME",
            ]
            return names.enumerated().map { number, name in
                var limit = rlimit()
                unsafe getrlimit(__rlimit_resource_t(UInt32(number)), &limit)
                return ("RLIMIT_\(name)", "\(limit.rlim_cur) of \(limit.rlim_max)")
            }
        },
        ProcessTrait(
            name: "standard-descriptors", expectation: "It leaves standard input, output and error alone.",
            advice: "open descriptors of its own"
        ) {
            (0..<3).map { (number: Int32) in
                var status = stat()
                let isOpen = unsafe fstat(number, &status) == 0
                return ("descriptor \(number)", isOpen ? "file \(status.st_dev):\(status.st_ino)" : "closed")
            }
        },
        ProcessTrait(
            name: "rounding", expectation: "It leaves the rounding of numbers alone.",
            advice: "set it back before it returns"
        ) {
            [("numbers", fegetround() == 0 ? "rounded to the nearest" : "rounded otherwise")]
        },
    ]

    /// Reads the current values, by part.
    func read() -> [String: String] { Dictionary(list().map { ($0, $1) }) { $1 } }

    /// Returns the changes as sentences.
    func changes(from before: [String: String], to after: [String: String]) -> [String] {
        Set(before.keys).union(after.keys).sorted().compactMap { key in
            guard before[key] != after[key] else { return nil }
            return
                "\(key): expected \(Self.shown(before[key])), found \(Self.shown(after[key])); \(advice)"
        }
    }

    /// Formats a value without details that mean nothing to people.
    private static func shown(_ text: String?) -> String {
        guard let text else { return "none" }
        return text.hasPrefix("a handler ") ? "a handler" : Quotation.bare(text)
    }
}
