// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK

/// Accept or refuse, with every reason, reached without running plugin code.
public struct Verdict: Sendable {
    /// What the library says about itself; nil when that cannot be read.
    public let note: PluginNote?
    /// Why it is not loaded; empty when it may be.
    public let refusals: [Refusal]
    /// What gives reason to warn about a library that may be loaded.
    public let warnings: [String]
    /// What loading it brings along; nothing where that was not looked for.
    let needs: LibraryNeeds

    /// The libraries of the plugin folder that must be copied with it.
    public var companions: [Companion] { needs.companions }

    /// A digest of everything that loading it brings along and that the host does not have: companions by their bytes, other
    /// files by place, size and time of change.
    public var broughtAlong: Digest { needs.digest }

    /// Whether the library may be loaded.
    public var isAccepted: Bool { refusals.isEmpty && note != nil }

    /// The library that host and plugins share.
    static let sdkLibrary = "libGatehouseSDK.so"

    /// Judges the bytes of a library.
    ///
    /// - Parameters:
    ///   - host: what a plugin must have in common with its host.
    ///   - machine: the processor this host runs on; nil to judge as if any would do.
    ///   - search: where needed libraries are looked for.
    ///   - folder: where the file stands; nil when that is not known.
    public init(
        judging bytes: UnsafeRawBufferPointer, host: BuildIdentity = SDKIdentity.current,
        machine: ELFMachine? = .current, search: LibrarySearch = LibrarySearch(), folder: String? = nil
    ) {
        do {
            self.init(
                judging: try unsafe ELFImage(reading: bytes), host: host, machine: machine, search: search,
                folder: folder)
        } catch {
            self.init(refusing: error)
        }
    }

    /// Judges what was read of a library.
    ///
    /// - Parameters: as above.
    init(
        judging image: ELFImage, host: BuildIdentity = SDKIdentity.current, machine: ELFMachine? = .current,
        search: LibrarySearch, folder: String?
    ) {
        var refusals: [Refusal] = []
        if image.header.type != .sharedObject { refusals.append(.notALibrary(found: image.header.type)) }
        let isOurs = machine == nil || image.header.machine == machine
        if let machine, !isOurs {
            refusals.append(.machine(expected: machine, found: image.header.machine))
        }
        // What this machine's loader would make of another machine's library is of no interest.
        if machine != nil, isOurs { refusals += image.hazards.map(Refusal.hazard) }
        let note = Self.readNote(among: image.notes, &refusals)
        var needs = LibraryNeeds()
        if let note {
            Self.compare(note, with: host, image, isOurs: isOurs, &refusals)
            if isOurs, let dynamic = image.dynamic {
                needs = LibraryNeeds(of: dynamic, in: folder, search: search)
            }
        }
        self.init(
            note: note, refusals: refusals + needs.refusals.map(Refusal.need), warnings: needs.warnings,
            needs: needs)
    }

    /// The refusal of bytes that cannot be read as a library.
    init(refusing error: ELFError) {
        self.init(note: nil, refusals: [.elf(error)])
    }

    /// A refusal reached before there were bytes to judge.
    init(refusing file: LibraryFileError, note: PluginNote?) {
        self.init(note: note, refusals: [.file(file)])
    }

    /// The same verdict after a look at the bytes that the configuration pins.
    package func pinned(to expected: PinnedDigests?, _ name: String, found: Digest?) -> Verdict {
        guard let expected, let found else { return self }
        return Verdict(
            note: note, refusals: refusals + expected.refusals(of: (name, found.hex), with: companions),
            warnings: warnings, needs: needs)
    }

    /// The same verdict with further reasons in front.
    func refused(for reasons: [Refusal]) -> Verdict {
        Verdict(note: note, refusals: reasons + refusals, warnings: warnings, needs: needs)
    }

    /// A verdict with all that was found on the way to it.
    private init(
        note: PluginNote?, refusals: [Refusal], warnings: [String] = [], needs: LibraryNeeds = LibraryNeeds()
    ) {
        self.note = note
        self.refusals = refusals
        self.warnings = warnings
        self.needs = needs
    }
}
