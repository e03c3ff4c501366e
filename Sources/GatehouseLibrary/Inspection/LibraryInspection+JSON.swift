// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
package import GatehouseValue

extension LibraryInspection {
    /// The description for programs. All keys are always present; unknown values are null or empty.
    package var value: Value {
        let missing = missingSymbols.map { symbol -> Value in
            ["symbol": .string(symbol), "name": .string(SwiftName.readable(symbol))]
        }
        return [
            "path": .string(path), "bytes": .integer(Int64(count)), "sha256": Self.text(digest?.hex),
            "kind": Self.text(header?.type.word), "machine": Self.text(header?.machine.description),
            "soname": Self.text(image?.dynamic?.soname), "note": verdict.note?.value ?? .null,
            "worker": (verdict.note?.manifest).map { Self.worker($0, verdict.match) } ?? .null,
            "identity": .array(identity.map(\.value)),
            "entryExported": verdict.note == nil ? .null : .bool(exportsEntry),
            "needed": .array(needed.map(\.value)), "runPath": .array(runPath.map(\.value)),
            "missingSymbols": .array(missing), "warnings": .array(warnings.map(Value.string)),
            "accepted": .bool(verdict.isAccepted),
            "refusals": .array(verdict.refusals.map { .string($0.description) }),
        ]
    }

    /// Whether a plugin can run in a worker, what its entry must grant it there, and why; and the installed version whose worker alone
    /// takes it.
    private static func worker(_ manifest: PluginManifest, _ match: VersionMatch?) -> Value {
        let need = WorkerNeed(of: manifest)
        return [
            "possible": .bool(need?.obstacle == nil),
            "grant": .array(need?.grant.map { [.string($0.key.rawValue)] } ?? []),
            "reason": text(need.map { "it \($0.deed)\($0.obstacle ?? "")" }),
            "version": text(match?.version.name),
        ]
    }

    /// A text, or null for none.
    private static func text(_ text: String?) -> Value { text.map(Value.string) ?? .null }

    /// Whether the function that the note names is exported.
    var exportsEntry: Bool {
        guard let entry = verdict.note?.entry.symbol else { return false }
        return image?.symbols.contains {
            $0.name == entry && $0.isDefined && $0.isExported && $0.kind == .function
        } ?? false
    }
}

extension IdentityComparison {
    /// The comparison for programs; the keys are those of a note.
    fileprivate var value: Value {
        [
            "field": .string(field.key), "host": .string(expected), "plugin": .string(found),
            "agrees": .bool(agrees), "decides": .bool(decides),
        ]
    }
}

extension Refusal.IdentityField {
    /// The key of the field in a note.
    fileprivate var key: String {
        switch self {
        case .abi: "abi"
        case .configuration: "configuration"
        case .triple: "triple"
        case .compiler: "compiler"
        case .sdkFingerprint: "sdkFingerprint"
        case .sdkSources: "sdkSources"
        }
    }
}

extension NeededLibrary {
    /// The library for programs.
    fileprivate var value: Value {
        let (word, path): (String, Value) =
            switch source {
            case .loaded: ("loaded", .null)
            case .file(let path): ("file", .string(path))
            case .companion(let path): ("companion", .string(path))
            case .beside: ("beside", .null)
            case .absent: ("absent", .null)
            case .unknown: ("unknown", .null)
            }
        return [
            "name": .string(name), "source": .string(word), "path": path,
            "for": asker.map(Value.string) ?? .null,
        ]
    }
}

extension RunPathEntry {
    /// The folder for programs.
    fileprivate var value: Value {
        let word =
            switch finding {
            case .trusted: "trusted"
            case .origin: "origin"
            case .relative: "relative"
            case .token: "token"
            case .outside: "outside"
            case .process: "process"
            case .writable: "writable"
            case .elsewhere: "elsewhere"
            }
        return ["path": .string(text), "finding": .string(word)]
    }
}
