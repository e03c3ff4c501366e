// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
internal import GatehouseValue

extension LibraryInspection {
    /// The description for people: aligned lines, the verdict at the end. Texts of the file cannot move the terminal.
    package var text: String {
        var lines = [Quotation.bare(path)]
        lines += Self.table(fileRows + noteRows)
        lines += Self.titled("compared with this host", Self.table(identity.map(Self.row)))
        lines += Self.titled("needed libraries", Self.table(needed.map(Self.row)))
        lines += Self.titled("run path", Self.table(runPath.map { ($0.text, $0.finding.words) }))
        let shown = missingSymbols.prefix(Self.symbolLimit).map(SwiftName.readable)
        let rest = missingSymbols.count - shown.count
        lines += Self.titled(
            "names of the SDK that this host's SDK does not have",
            Self.list(shown + (rest > 0 ? ["and \(rest) more; --json names all"] : [])))
        lines += Self.titled("warnings", Self.list(warnings))
        lines.append("")
        let place = verdict.match.map {
            ", by a worker of the installed version \($0.version.name), because \($0.reason())"
        }
        lines.append("verdict: " + (verdict.isAccepted ? "accepted\(place ?? "")" : "refused"))
        lines += Self.list(verdict.refusals.map(\.description))
        return lines.map { $0 + "\n" }.joined()
    }

    /// The maximum number of missing names that is shown.
    private static var symbolLimit: Int { 20 }

    /// The rows for any file.
    private var fileRows: [(String, String)] {
        let kind = header.map { "\($0.type.word) for \($0.machine)" } ?? "not a 64-bit ELF file"
        return [
            ("size", "\(count) bytes"), ("sha256", digest?.hex ?? "not computed, the file is too large"),
            ("kind", kind),
        ]
            + (image?.dynamic?.soname.map { [("soname", $0)] } ?? [])
    }

    /// The rows for the contents of the note.
    private var noteRows: [(String, String)] {
        guard let note = verdict.note else { return [] }
        let manifest = note.manifest
        var rows = [("plugin", "\(manifest.id) \(manifest.version)"), ("summary", manifest.summary)]
        if let principal = manifest.principal { rows.append(("principal", principal)) }
        rows += [
            ("consumes", Self.words(manifest.consumes)),
            ("emits", Self.words(manifest.emits)), ("settings", Self.settings(manifest.settings)),
            ("permissions", Self.words(manifest.permissions)),
            ("worker", Self.words(WorkerNeed(of: manifest))),
            ("scope", manifest.scope.rawValue),
        ]
        if manifest.discovery == .never { rows.append(("discovery", "never, only with an entry")) }
        if let interception = manifest.onQuarantine { rows.append(("on quarantine", interception.rawValue)) }
        if let recovery = manifest.onInterruption { rows.append(("on interruption", recovery.rawValue)) }
        rows += [
            ("entry", note.entry.symbol + (exportsEntry ? "" : ", not exported as a function"))
        ]
        switch note.contract {
        case .sdk(let identity): rows.append(("sdk", identity.sdkVersion))
        case .foreign(let abi): rows.append(("contract", "foreign \(abi)"))
        }
        if let coding = note.coding { rows.append(("coding", Self.words(coding))) }
        return rows
    }

    /// Whether it can run in a worker, and with which rights.
    private static func words(_ need: WorkerNeed?) -> String {
        guard let need else { return "yes" }
        guard let grant = need.grant else { return "no, it \(need.deed)\(need.obstacle ?? "")" }
        return "with an entry that says \(grant.text), because it \(need.deed)"
    }

    /// How actions are read and written, in words.
    private static func words(_ coding: PluginNote.Coding) -> String {
        switch coding {
        case .generated: "generated from the actions"
        case .codable(let reason): "by Codable, because \(reason)"
        }
    }

    /// One field, and the host's value where it differs.
    private static func row(_ comparison: IdentityComparison) -> (String, String) {
        (
            comparison.field.rawValue,
            comparison.agrees
                ? "same: \(comparison.found)" : "differs: \(comparison.found), host: \(comparison.expected)"
        )
    }

    /// One needed library, and who needs it if that is another library.
    private static func row(_ library: NeededLibrary) -> (String, String) {
        (library.name, library.source.words + (library.asker.map { ", for \($0)" } ?? ""))
    }

    /// Names in a row, or a word for none.
    private static func words(_ words: [String]) -> String {
        words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }

    /// The keys of a schema.
    private static func settings(_ schema: Value?) -> String {
        guard let schema, case .object(let properties) = schema["properties"], !properties.isEmpty else {
            return schema == nil ? "no schema" : "none"
        }
        return properties.map(\.key).joined(separator: ", ")
    }

    /// Rows of two columns; the second starts two spaces after the longest first one.
    private static func table(_ rows: [(String, String)]) -> [String] {
        let rows = rows.map { (Quotation.bare($0), Quotation.bare($1)) }
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0 + String(repeating: " ", count: width - $0.count + 2) + $1 }
    }

    /// Lines with a dash; further lines of a text are indented below it.
    private static func list(_ texts: [String]) -> [String] {
        texts.map { text in
            "  - "
                + text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { Quotation.bare(String($0)) }.joined(separator: "\n    ")
        }
    }

    /// Lines below a title, with an empty line before it; empty without lines.
    private static func titled(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["", title] + lines
    }
}

extension NeededLibrary.Source {
    /// The source of the library, in words.
    fileprivate var words: String {
        switch self {
        case .loaded: "part of this host"
        case .file(let path): path
        case .companion(let path): "\(path), loaded from a copy beside the plugin's"
        case .beside: "ABSENT: is beside the file, where the loader does not look"
        case .absent: "ABSENT"
        case .unknown: "not looked for, or refused"
        }
    }
}

extension RunPathEntry.Finding {
    /// The finding, in words.
    fileprivate var words: String {
        switch self {
        case .trusted: "trusted"
        case .origin: "the plugin's folder"
        case .relative: "REFUSED: relative to wherever the host is started"
        case .token: "REFUSED: a $ that is not $ORIGIN at the start"
        case .outside: "REFUSED: leaves the plugin's folder"
        case .process: "REFUSED: another folder in each process"
        case .writable(let path): "REFUSED: others may write to \(path)"
        case .elsewhere: "probably a folder of the machine that built the file"
        }
    }
}
