// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSDK

/// Acceptance or refusal, with every reason, reached without running plugin code.
package struct Verdict: Sendable {
    /// The note of the library; nil when that cannot be read.
    package let note: PluginNote?
    /// The reasons not to load it; empty when it may be loaded.
    package let refusals: [Refusal]
    /// Warnings about a library that may be loaded.
    package let warnings: [String]
    /// Everything that loading it brings along; empty where that was not looked for.
    let needs: LibraryNeeds

    /// The libraries of the plugin folder that must be copied with it.
    package var companions: [Companion] { needs.companions }

    /// A digest of everything that loading it brings along and that the host does not have: companions by their bytes, other
    /// files by place, size and time of change.
    package var broughtAlong: Digest { needs.digest }

    /// Whether the library may be loaded.
    package var isAccepted: Bool { refusals.isEmpty && note != nil }

    /// The library that host and plugins share.
    static let sdkLibrary = "libGatehouseSDK.so"

    /// Judges the bytes of a library.
    ///
    /// - Parameters:
    ///   - host: what a plugin must have in common with its host.
    ///   - machine: the processor this host runs on; nil to accept any.
    ///   - search: finds needed libraries.
    ///   - folder: the folder of the file; nil when unknown.
    package init(
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

    /// Judges a parsed library.
    ///
    /// - Parameters: as above.
    package init(
        judging image: ELFImage, host: BuildIdentity = SDKIdentity.current, machine: ELFMachine? = .current,
        search: LibrarySearch, folder: String?
    ) {
        var refusals: [Refusal] = []
        if image.header.type != .sharedObject { refusals.append(.notALibrary(found: image.header.type)) }
        let isOurs = machine == nil || image.header.machine == machine
        if let machine, !isOurs { refusals.append(.machine(expected: machine, found: image.header.machine)) }
        // The loader of this machine never sees a library of another one.
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
    package init(refusing error: ELFError) { self.init(note: nil, refusals: [.elf(error)]) }

    /// Creates a refusal before there are bytes to judge.
    package init(refusing file: LibraryFileError, note: PluginNote?) {
        self.init(note: note, refusals: [.file(file)])
    }

    /// The verdict after comparing the bytes with those that the configuration pins.
    package func pinned(to expected: PinnedDigests?, _ name: String, found: Digest?) -> Verdict {
        guard let expected, let found else { return self }
        return Verdict(
            note: note, refusals: refusals + expected.refusals(of: (name, found.hex), with: companions),
            warnings: warnings, needs: needs)
    }

    /// The verdict with further reasons in front.
    func refused(for reasons: [Refusal]) -> Verdict {
        Verdict(note: note, refusals: reasons + refusals, warnings: warnings, needs: needs)
    }

    /// Creates a verdict with everything found on the way to it.
    private init(
        note: PluginNote?, refusals: [Refusal], warnings: [String] = [], needs: LibraryNeeds = LibraryNeeds()
    ) {
        self.note = note
        self.refusals = refusals
        self.warnings = warnings
        self.needs = needs
    }
}
