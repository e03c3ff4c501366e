// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK

/// Accept or refuse, with every reason, reached without running plugin code.
public struct Verdict: Sendable {
    /// What the library says about itself; nil when that cannot be read.
    public let note: PluginNote?
    /// Why it is not loaded; empty when it may be.
    public let refusals: [Refusal]

    /// Whether the library may be loaded.
    public var isAccepted: Bool { refusals.isEmpty && note != nil }

    /// Judges the bytes of a library.
    ///
    /// - Parameters:
    ///   - host: what a plugin must have in common with its host.
    ///   - machine: the processor this host runs on.
    public init(
        judging bytes: UnsafeRawBufferPointer, host: BuildIdentity = SDKIdentity.current,
        machine: ELFMachine? = .current
    ) {
        let image: ELFImage
        do {
            image = try unsafe ELFImage(reading: bytes)
        } catch {
            note = nil
            refusals = [.elf(error)]
            return
        }
        var refusals: [Refusal] = []
        if image.header.type != .sharedObject { refusals.append(.notALibrary(found: image.header.type)) }
        if let machine {
            if image.header.machine == machine {
                refusals += image.damage.map(Refusal.damaged)
            } else {
                refusals.append(.machine(expected: machine, found: image.header.machine))
            }
        }
        note = Self.readNote(of: image, &refusals)
        if let note { Self.compare(note, with: host, image, &refusals) }
        self.refusals = refusals
    }

    /// A refusal reached before there were bytes to judge.
    init(refusing file: LibraryFileError, note: PluginNote?) {
        self.note = note
        refusals = [.file(file)]
    }

    /// The same verdict after a look at the digest that the configuration pins.
    func pinned(to expected: String?, found: Digest?) -> Verdict {
        guard let expected, let found, expected != found.hex else { return self }
        return Verdict(note: note, refusals: refusals + [.digest(expected: expected, found: found.hex)])
    }

    private init(note: PluginNote?, refusals: [Refusal]) {
        self.note = note
        self.refusals = refusals
    }

    private static func readNote(of image: ELFImage, _ refusals: inout [Refusal]) -> PluginNote? {
        let notes = image.notes(ownedBy: PluginNote.owner).filter { $0.type == PluginNote.type }
        guard let first = notes.first else {
            refusals.append(.noNote)
            return nil
        }
        guard notes.count == 1 else {
            refusals.append(.severalNotes(notes.count))
            return nil
        }
        do {
            return try PluginNote(parsing: first.content)
        } catch {
            refusals.append(.malformedNote(error))
            return nil
        }
    }

    /// Everything in which plugin and host must agree, all differences at once.
    private static func compare(
        _ note: PluginNote, with host: BuildIdentity, _ image: ELFImage, _ refusals: inout [Refusal]
    ) {
        let plugin = note.identity
        let fields: [(Refusal.IdentityField, String, String)] = [
            (.abi, "\(host.abi)", "\(plugin.abi)"),
            (.triple, host.triple, plugin.triple),
            (.compiler, host.compiler, plugin.compiler),
            (.configuration, host.configuration.rawValue, plugin.configuration.rawValue),
        ]
        let differing = fields.filter { $0.1 != $0.2 }
        for (field, expected, found) in differing {
            refusals.append(.identity(field: field, expected: expected, found: found))
        }
        // The fingerprint covers compiler, triple and configuration: alone it tells that the sources differ.
        if host.sdkFingerprint != plugin.sdkFingerprint {
            refusals.append(
                .identity(field: .sdkFingerprint, expected: host.sdkFingerprint, found: plugin.sdkFingerprint)
            )
        }
        if let symbol = image.definedNames.first(where: isSDKSymbol) {
            refusals.append(.secondSDK(symbol: symbol))
        }
        if !(image.dynamic?.needed ?? []).contains(sdkLibrary) { refusals.append(.doesNotNeedSDK) }
        if !image.definedNames.contains(note.entry.symbol) {
            refusals.append(.entryMissing(note.entry.symbol))
        }
    }

    /// The library that host and plugins share.
    static let sdkLibrary = "libGatehouseSDK.so"

    /// Whether a symbol is the metadata of the SDK's class of exports, which exists once in a process.
    private static func isSDKSymbol(_ name: String) -> Bool {
        let exports = "$s12GatehouseSDK13PluginExportsC"
        return name.hasPrefix(exports) && ["N", "Ma", "Mn"].contains(name.dropFirst(exports.count))
    }
}
