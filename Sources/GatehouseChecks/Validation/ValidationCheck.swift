// SPDX-License-Identifier: Apache-2.0

package import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSupport

/// One named expectation of every plugin.
package struct ValidationCheck: Sendable {
    /// How the check works.
    package enum Work: Sendable {
        /// Inspects the bytes of the library; none of its code runs.
        case file(@Sendable (LibraryInspection) -> CheckDiagnostic)
        /// Uses the plugin as a host does, in a separate process.
        case child(@Sendable (Subject) throws(CheckDiagnostic) -> CheckDiagnostic)
        /// Compares what the plugin answers in a host, in a separate process, with what it answers in a worker.
        case worker
    }

    /// Lower-case words: the group, a slash and the check.
    package let name: String
    /// The expectation, as one sentence.
    package let expectation: String
    /// The name of a check that must not fail before; nil for none.
    let prerequisite: String?
    /// The time limit of its process.
    package let limit: Duration
    /// How the check works.
    package let work: Work

    /// The memory limit of a check's process, in bytes.
    package static let memory = 512 << 20

    /// Creates a check on the bytes of the library.
    init(
        _ name: String, _ expectation: String,
        file: @escaping @Sendable (LibraryInspection) -> CheckDiagnostic
    ) {
        self.name = name
        self.expectation = expectation
        prerequisite = nil
        limit = .zero
        work = .file(file)
    }

    /// Creates a check that runs code of the plugin.
    init(
        _ name: String, _ expectation: String, after prerequisite: String? = nil,
        within limit: Duration = .seconds(10),
        child: @escaping @Sendable (Subject) throws(CheckDiagnostic) -> CheckDiagnostic
    ) {
        self.name = name
        self.expectation = expectation
        self.prerequisite = prerequisite
        self.limit = limit
        work = .child(child)
    }

    /// Creates a check that compares the plugin in a host with the plugin in a worker.
    init(
        inWorker name: String, _ expectation: String, after prerequisite: String, within limit: Duration
    ) {
        self.name = name
        self.expectation = expectation
        self.prerequisite = prerequisite
        self.limit = limit
        work = .worker
    }

    /// Creates a check that uses the plugin in a host, once the actions that it accepts are known.
    ///
    /// - Parameter records: whether the host records processed actions.
    static func running(
        _ name: String, _ expectation: String, records: Bool = true, within limit: Duration = .seconds(10),
        _ work: @escaping @Sendable (SubjectHost) throws(CheckDiagnostic) -> CheckDiagnostic
    ) -> ValidationCheck {
        ValidationCheck(name, expectation, after: "actions/examples", within: limit) {
            subject throws(CheckDiagnostic) in
            try work(SubjectHost(subject, records: records))
        }
    }

    /// Whether the check runs code of the plugin.
    var runsCode: Bool { if case .file = work { false } else { true } }

    /// The length of the chain of prerequisites.
    var depth: Int {
        guard runsCode else { return 0 }
        return prerequisite.flatMap { Self[$0] }.map { $0.depth + 1 } ?? 1
    }

    /// All checks, in the order they are reported.
    package static let all =
        library + manifest + lifecycle + settings + state + actions + effects + gate + worker + resources
        + process

    /// Returns the check with a name; nil for none.
    static subscript(name: String) -> ValidationCheck? { byName[name] }

    /// All checks by name.
    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    /// Selects checks by their names or by prefixes of names up to a slash.
    ///
    /// - Throws: the first word that is neither.
    package static func selected(by words: [String]) throws(UnknownCheck) -> [ValidationCheck] {
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

    /// The part of the name before the slash.
    private var group: String { String(name.prefix { $0 != "/" }) }

    /// Returns the group that a word names, with or without a trailing slash or `/*`.
    private static func group(of word: String) -> String {
        for ending in ["/*", "/"] where word.hasSuffix(ending) { return String(word.dropLast(ending.count)) }
        return word
    }
}

/// A word that names no check.
package struct UnknownCheck: Error, Equatable, Sendable, CustomStringConvertible {
    /// The word.
    package let word: String
    /// The likely intended name.
    package let suggestion: String?

    package var description: String {
        "there is no check \(Quotation.of(word))"
            + (suggestion.map { ", did you mean \(Quotation.of($0))?" } ?? "")
            + "; --list names all"
    }
}
