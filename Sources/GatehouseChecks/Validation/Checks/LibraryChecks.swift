// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSupport
private import Glibc

extension ValidationCheck {
    /// Checks on the bytes of the file.
    package static let library: [ValidationCheck] = [
        refusal("library/format", "The file is a shared library for this machine that the loader takes."),
        ValidationCheck("library/trust", "Only its owner and root can change the file.") { inspection in
            let refused = inspection.trustWarnings.filter { $0.hasPrefix("run would refuse it: ") }
            return refused.isEmpty ? .warn(forEach: inspection.trustWarnings) : .fail(forEach: refused)
        },
        refusal("library/note", "It carries one note that can be read."),
        refusal(
            "library/identity", "It was built with the SDK, compiler, target and configuration of this host."
        ) {
            $0.verdict.match.map {
                [
                    "only a worker of the installed version \($0.version.name) can load it, because \($0.reason()); rebuild it with this host's SDK to run it in the host, too"
                ]
            } ?? []
        },
        refusal("library/sdk", "It links the SDK and has no copy of it."),
        refusal("library/entry", "It exports its entry as a function."),
        refusal("library/needs", "The loader finds all that it needs, where nobody else could have put it.") {
            $0.verdict.warnings.filter { !$0.hasPrefix("its run path ") }
        },
        refusal(
            "library/run-path", "Its run path names only folders that belong to the system or to the plugin."
        ) {
            $0.verdict.warnings.filter { $0.hasPrefix("its run path ") }
        },
        refusal("library/stack", "It asks for no stack that may run."),
        refusal("library/memory", "No memory of it may be both written and run."),
        refusal(
            "library/symbols", "No symbol of it, or of what it brings along, is one for the whole process."),
        refusal("library/relocations", "Loading it changes no code."),
        ValidationCheck("library/visibility", "It exports no C names but its entry.", file: visibility),
        ValidationCheck("library/lines", "It has the debug information that backtraces and debuggers read.") {
            inspection in
            guard let image = inspection.image, let names = inspection.sectionNames, !image.symbols.isEmpty
            else { return .skip("it is no library") }
            return .warn(
                "expected a section .debug_line, found none; do not strip the plugin, or keep what was stripped beside it",
                unless: names.contains { $0 == ".debug_line" || $0 == ".gnu_debuglink" })
        },
    ]

    /// Creates a check that fails for the reasons of a verdict that belong to it.
    ///
    /// - Parameter warnings: returns warnings for when the check does not fail.
    private static func refusal(
        _ name: String, _ expectation: String,
        warnings: @escaping @Sendable (LibraryInspection) -> [String] = { _ in [] }
    ) -> ValidationCheck {
        ValidationCheck(name, expectation) { inspection in
            let reasons = inspection.verdict.refusals.filter { $0.check == name }.map(\.description)
            return reasons.isEmpty ? .warn(forEach: warnings(inspection)) : .fail(forEach: reasons)
        }
    }

    /// Checks for names that other libraries could mistake for their own, or this one for its own.
    private static func visibility(_ inspection: LibraryInspection) -> CheckDiagnostic {
        guard let image = inspection.image else { return .skip("it is no library") }
        let entry = inspection.verdict.note?.entry.symbol
        let names = image.symbols.filter {
            $0.isDefined && $0.isExported && $0.name != entry && !isOrdinary($0.name)
        }.map(\.name).sorted()
        // The loader searches the program first, so the library would call unknown code.
        let taken = names.filter { unsafe dlsym(nil, $0) != nil }
        if !taken.isEmpty {
            return .fail(
                "expected names of its own, found \(listed(taken)), which the host has already and which it would call in place of its own; give it hidden visibility or another name"
            )
        }
        return .warn(
            "expected no exported C names, found \(listed(names)); compile C targets with -fvisibility=hidden",
            unless: names.isEmpty)
    }

    /// Whether every Swift library exports such a name, of Swift itself or of the linker.
    private static func isOrdinary(_ name: String) -> Bool {
        name.hasPrefix("$s") || name.hasPrefix("symbolic ") || name.hasPrefix("_") || name.hasPrefix("get_")
            || name.hasPrefix("associated conformance ") || name.hasPrefix("block_")
            || name.hasPrefix("reflection ") || name.hasPrefix("swift_") || name.hasPrefix("$")
            || name.contains(" ")
    }

    /// Returns the first few names, and the number of further ones.
    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(3).map(Quotation.bare).joined(separator: ", ")
        return names.count > 3 ? "\(shown) and \(names.count - 3) more" : shown
    }
}

extension Refusal {
    /// The name of the check that fails for this reason.
    var check: String {
        switch self {
        // Nobody has to vouch for what its author tries.
        case .file, .elf, .notALibrary, .machine, .digest, .signature, .unsigned, .unsignedInHost, .outdated:
            "library/format"
        case .noNote, .severalNotes, .malformedNote: "library/note"
        case .identity, .unusableVersion, .missingSDKSymbols: "library/identity"
        case .doesNotNeedSDK, .foreignNeedsSDK, .secondSDK: "library/sdk"
        case .entryMissing, .entryNotAFunction: "library/entry"
        case .need(.runPath), .need(.libraryPath): "library/run-path"
        case .need(.hazard(_, let hazard)) where hazard.part == .symbolTable: "library/symbols"
        case .need, .tooMany: "library/needs"
        case .hazard(let hazard):
            switch hazard.part {
            case .stack: "library/stack"
            case .loadedSegment: "library/memory"
            case .symbolTable: "library/symbols"
            case .relocations: "library/relocations"
            default: "library/format"
            }
        }
    }
}
