// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSupport

/// One reason not to load a library, reached without running any of its code.
package enum Refusal: Error, Equatable, Sendable {
    /// The file cannot be read, or is not trustworthy.
    case file(LibraryFileError)
    /// The bytes are not a library of this machine.
    case elf(ELFError)
    /// The library would weaken the process.
    case hazard(ELFHazard)
    /// It is an ELF file of another kind, such as a program.
    case notALibrary(found: ELFType)
    /// A library for another processor.
    case machine(expected: ELFMachine, found: ELFMachine)
    /// It has no note of Gatehouse: an ordinary library.
    case noNote
    /// More than one note.
    case severalNotes(Int)
    /// A note that cannot be read.
    case malformedNote(ManifestError)
    /// A field of the identity differs from the host's.
    case identity(field: IdentityField, expected: String, found: String)
    /// The installed version that it was built for, by its name, cannot work for this host, as the end of a sentence says.
    case unusableVersion(String, String)
    /// It does not need the SDK's library.
    case doesNotNeedSDK
    /// It claims to be foreign, but needs the SDK's library.
    case foreignNeedsSDK
    /// It defines something that only the SDK's library may define.
    case secondSDK(symbol: String)
    /// The function that its note names does not exist.
    case entryMissing(String)
    /// The entry that its note names exists, but not as an exported function.
    case entryNotAFunction(String)
    /// It uses names of the SDK that this host's SDK lacks; at least one, mangled.
    case missingSDKSymbols([String])
    /// Something that it would bring along is refused.
    case need(NeedRefusal)
    /// Too many others are loaded before it.
    case tooMany(limit: Int)
    /// A signature lies beside it and does not speak for it.
    case signature(SignatureError)
    /// Nobody whom `trust` knows vouches for it.
    case unsigned(Endorsement.Lack)
    /// The same for an instance whose entry places it in the host, where only workers may run such a library.
    case unsignedInHost(Endorsement.Lack)
    /// The same key has signed a later release, which has run here.
    case outdated(key: String, serial: Int, known: Int)
    /// The configuration pins other bytes; or none for a file that it brings along, which `of` names.
    case digest(of: String?, expected: String?, found: String)

    /// A field of the identity.
    package enum IdentityField: String, Sendable, CaseIterable {
        /// The number of the entry's C interface.
        case abi = "ABI number"
        /// Debug or release: their layouts and checks differ.
        case configuration = "build configuration"
        /// The processor and the system for which it was built.
        case triple = "target"
        /// The toolchain, down to its commit.
        case compiler = "compiler"
        /// A digest of what plugins depend on in the SDK's sources, and of how they were built.
        case sdkFingerprint = "SDK fingerprint"
        /// A digest of every byte of the SDK's sources; decides for a plugin that may contain more of them than the fingerprint covers.
        case sdkSources = "SDK sources"
    }
}

extension Refusal {
    /// Whether the bytes may come from a stranger: an owner, a mode or a pinned digest is wrong.
    package var isAboutTrust: Bool {
        switch self {
        case .file(let error), .need(.file(_, let error)): error.isAboutTrust
        case .signature, .unsigned, .unsignedInHost, .outdated: true
        case .digest, .need(.place), .need(.runPath), .need(.libraryPath): true
        default: false
        }
    }
}

extension Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .file(let error): error.reason
        case .elf(let error): error.description
        case .hazard(let hazard): hazard.description
        case .notALibrary(let found):
            "expected a shared library, found \(found); build a dynamic library product"
        case .machine(let expected, let found):
            "built for \(found), this host runs on \(expected); rebuild the plugin for this machine"
        case .noNote:
            "carries no Gatehouse note, so it is not a plugin; a plugin target uses the EmbedManifest build plugin"
        case .severalNotes(let count):
            "carries \(count) Gatehouse notes, expected one; put each plugin into a library of its own"
        case .malformedNote(let error): "its note cannot be read: \(error)"
        case .identity(let field, let expected, let found):
            "\(field.rawValue): expected \(expected), found \(found); \(field.advice)"
        case .unusableVersion(let name, let obstacle):
            "the installed version \(name), which it was built for, \(obstacle)"
        case .doesNotNeedSDK:
            "does not link libGatehouseSDK.so; depend on the product GatehouseSDK of the SDK package"
        case .foreignNeedsSDK:
            "is a foreign plugin and links libGatehouseSDK.so, which its contract does not cover; do not link it, or make it a plugin with the build plugin EmbedManifest"
        case .secondSDK(let symbol):
            "carries its own copy of the SDK (it defines \(Quotation.bare(symbol))); link the SDK as the dynamic library libGatehouseSDK.so"
        case .entryMissing(let symbol):
            "does not export its entry \(symbol); do not strip or hide the symbols of a plugin"
        case .entryNotAFunction(let symbol):
            "its entry \(symbol) is not a function that others can call; build it with this host's SDK"
        case .missingSDKSymbols(let symbols):
            "uses what this host's SDK does not have: \(Self.list(symbols)); rebuild the plugin with this host's SDK"
        case .need(let refusal): refusal.description
        case .tooMany(let limit):
            "comes after \(limit) others, which is as many as are held open at once, half of what this process may open (ulimit -n); name it in the configuration, remove others from the folder, or raise that limit"
        case .signature(let error): error.description
        case .unsigned(let lack): "\(lack.words); \(SigningJudge.remedy)"
        case .unsignedInHost(let lack):
            "\(lack.words), so that it may run in workers only, and its entry says \"placement\": \"host\"; place it in a worker, or \(SigningJudge.remedy)"
        case .outdated(let key, let serial, let known):
            "its signature by \(Quotation.of(key)) has serial \(serial), and \(known) has run here; bring the later one, or go back on purpose: pin these bytes with \"sha256\" in its entry"
        case .digest(let name, let expected, let found):
            "SHA-256\(name.map { " of \($0), which comes along" } ?? ""): plugins.json pins \(expected ?? "none"), found \(found); if you trust these bytes, pin the found one"
        }
    }
}

extension Refusal {
    /// The first names in readable form, and the number of others.
    private static func list(_ symbols: [String]) -> String {
        let shown = symbols.prefix(3).map { Quotation.bare(SwiftName.readable($0)) }.joined(separator: ", ")
        return symbols.count > 3 ? "\(shown) and \(symbols.count - 3) more" : shown
    }
}

extension Refusal.IdentityField {
    /// The remedy for a difference.
    var advice: String {
        switch self {
        case .abi: "rebuild the plugin with this host's SDK"
        case .sdkFingerprint:
            "rebuild the plugin with this host's SDK, or install the host that it was built for beside this one, as Operating.md says under \"Run plugins of another version\""
        case .sdkSources:
            "rebuild the plugin with this host's SDK, and with the variables of gatehouse sdk --environment, so that it need not be rebuilt again for a host with the same fingerprint"
        case .configuration: "build host and plugin both with -c release, or both for debugging"
        case .triple: "rebuild the plugin for this machine"
        case .compiler: "rebuild the plugin with the compiler that built this host"
        }
    }
}
