// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSupport

/// One thing that is expected of every plugin, under a name.
public struct ValidationCheck: Sendable {
    /// How it is found out.
    enum Work: Sendable {
        /// From the bytes of the library; none of its code runs.
        case file(@Sendable (LibraryInspection) -> CheckFinding)
        /// In a process of its own, which does with the plugin what a host does.
        case child(@Sendable (Subject) throws(CheckFinding) -> CheckFinding)
    }

    /// Lower-case words: the group, a slash and the check.
    public let name: String
    /// One sentence that says what is expected.
    public let expectation: String
    /// The name of a check that must not be failed before; nil for none.
    let prerequisite: String?
    /// How long its process may take.
    let limit: Duration
    /// How it is found out.
    let work: Work
    /// Says of a reason against loading the library whether this check tells it; nil for a check that tells none.
    private(set) var isAbout: (@Sendable (Refusal) -> Bool)?

    /// So much memory may the process of a check have, in bytes.
    static let memory = 512 << 20

    /// A check on the bytes of the library.
    init(
        _ name: String, _ expectation: String,
        file: @escaping @Sendable (LibraryInspection) -> CheckFinding
    ) {
        self.name = name
        self.expectation = expectation
        prerequisite = nil
        limit = .zero
        work = .file(file)
    }

    /// A check that fails for some of the reasons of a verdict.
    ///
    /// - Parameter warnings: what there is to warn about where it does not fail.
    init(
        _ name: String, _ expectation: String, refusals isAbout: @escaping @Sendable (Refusal) -> Bool,
        warnings: @escaping @Sendable (LibraryInspection) -> [String] = { _ in [] }
    ) {
        self.init(name, expectation) { inspection in
            let reasons = inspection.verdict.refusals.filter(isAbout).map(\.description)
            return reasons.isEmpty ? .warn(forEach: warnings(inspection)) : .fail(forEach: reasons)
        }
        self.isAbout = isAbout
    }

    /// A check that runs code of the plugin.
    init(
        _ name: String, _ expectation: String, after prerequisite: String? = nil,
        within limit: Duration = .seconds(10),
        child: @escaping @Sendable (Subject) throws(CheckFinding) -> CheckFinding
    ) {
        self.name = name
        self.expectation = expectation
        self.prerequisite = prerequisite
        self.limit = limit
        work = .child(child)
    }

    /// Whether it runs code of the plugin.
    var runsCode: Bool { if case .child = work { true } else { false } }

    /// How many others come before it, one after the other.
    var depth: Int {
        guard runsCode else { return 0 }
        return prerequisite.flatMap { Self[$0] }.map { $0.depth + 1 } ?? 1
    }

    /// All of them, in the order in which they are told.
    public static let all =
        library + manifest + lifecycle + settings + state + actions + effects + gate + resources + process

    /// The check with a name; nil for none.
    static subscript(name: String) -> ValidationCheck? { byName[name] }

    /// All of them by name.
    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    /// Those that somebody asks for by their names or by the beginnings of names, up to a slash.
    ///
    /// - Throws: the first word that is neither.
    public static func selected(by words: [String]) throws(UnknownCheck) -> [ValidationCheck] {
        guard !words.isEmpty else { return all }
        let groups = Set(all.map(\.group))
        for word in words where byName[word] == nil && !groups.contains(group(of: word)) {
            throw UnknownCheck(
                word: word,
                suggestion: NearMiss.suggestion(for: word, among: all.map(\.name) + groups.sorted()))
        }
        return all.filter { check in
            words.contains { $0 == check.name || group(of: $0) == check.group }
        }
    }

    /// What stands before the slash of its name.
    private var group: String { String(name.prefix { $0 != "/" }) }

    /// The group that a word names, with a slash or `/*` behind it or without.
    private static func group(of word: String) -> String {
        for ending in ["/*", "/"] where word.hasSuffix(ending) { return String(word.dropLast(ending.count)) }
        return word
    }
}

/// A word that names no check.
public struct UnknownCheck: Error, Equatable, Sendable, CustomStringConvertible {
    /// The word.
    public let word: String
    /// What was probably meant.
    public let suggestion: String?

    public var description: String {
        "there is no check \(Quotation.of(word))"
            + (suggestion.map { ", did you mean \(Quotation.of($0))?" } ?? "")
            + "; --list names all"
    }
}
