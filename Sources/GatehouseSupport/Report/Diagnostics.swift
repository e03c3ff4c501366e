// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// Everything found about a configuration and its libraries, in the order of reporting.
///
/// First diagnostics with a place in the file, by place; then refused libraries without which the host does not start; then
/// the rest, doubts last. Equal ones keep the order in which they were found. Thrown when one of them is an error.
package struct Diagnostics: Error, Equatable, Sendable {
    /// The diagnostics in order.
    package let all: [Diagnostic]

    /// Sorts diagnostics.
    package init(_ diagnostics: [Diagnostic] = []) {
        let rank = { (diagnostic: Diagnostic) in
            switch (diagnostic.place, diagnostic.severity) {
            case (let place?, _): (0, place.position.offset)
            case (nil, .error): (1, 0)
            case (nil, .warning): (2, 0)
            case (nil, .doubt): (3, 0)
            }
        }
        all = diagnostics.enumerated().map { (rank: rank($1), offset: $0, diagnostic: $1) }
            .sorted { ($0.rank.0, $0.rank.1, $0.offset) < ($1.rank.0, $1.rank.1, $1.offset) }
            .map(\.diagnostic)
    }

    /// One error that is about nothing in particular.
    package init(error sentence: String) { self.init([Diagnostic(.error, sentence)]) }

    /// The diagnostics of the left side, followed by those of the right.
    package static func + (left: Diagnostics, right: [Diagnostic]) -> Diagnostics {
        Diagnostics(left.all + right)
    }

    /// Mistakes and likely mistakes in the configuration.
    package var problems: [Diagnostic] { all.filter { $0.place != nil } }
    /// Refused libraries without which the host does not start.
    package var refusals: [Diagnostic] { all.filter { $0.place == nil && $0.severity == .error } }
    /// Everything else to know although the host starts.
    package var warnings: [Diagnostic] { all.filter { $0.place == nil && $0.severity != .error } }

    /// Whether something prevents the host from starting; if so, nothing is applied.
    package var isFailure: Bool { all.contains { $0.severity == .error } }
    /// Whether the configuration is to blame for that, alone or among others.
    package var isConfigurationBroken: Bool { all.contains { $0.severity == .error && $0.library == nil } }

    /// The diagnostics for programs.
    package var json: Members {
        [
            "problems": .array(all.compactMap(\.problem)), "refusals": .array(refusals.map(\.refusal)),
            "warnings": .array(warnings.map { .string($0.description) }),
        ]
    }
}

extension Diagnostic {
    /// A diagnostic with a place, for programs; nil without a place.
    fileprivate var problem: Value? {
        place.map { place in
            [
                "file": .string(place.file), "line": Value(place.position.line),
                "column": Value(place.position.column), "pointer": .string(place.pointer.description),
                "severity": .string(severity.rawValue), "message": .string(sentence),
            ]
        }
    }

    /// A refused library, for programs.
    fileprivate var refusal: Value {
        var members: Members = [:]
        members["library"] = library.map(Value.string)
        members["instance"] = instance.map(Value.string)
        members["reasons"] = .array(sentences.map(Value.string))
        return .object(members)
    }
}

extension Diagnostics {
    /// Takes the problems of reading a text.
    package init(located log: LocatedLog) {
        self.init(
            log.problems.map { problem in
                Diagnostic(
                    problem.isWarning ? .warning : .error,
                    at: Diagnostic.Place(
                        file: log.file, position: problem.position, pointer: problem.path.pointer),
                    problem.words)
            })
    }
}
