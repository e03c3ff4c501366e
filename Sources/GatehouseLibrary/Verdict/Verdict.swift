// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport

/// Acceptance or refusal, with every reason, reached without running plugin code.
package struct Verdict: Sendable {
    /// The note of the library; nil when that cannot be read.
    package let note: PluginNote?
    /// The reasons not to load it; empty when it may be loaded.
    package private(set) var refusals: [Refusal]
    /// Warnings about a library that may be loaded.
    package private(set) var warnings: [String] = []
    /// The installed version whose worker alone can load the library; nil for one that this process can load, and for one that nothing can.
    package private(set) var match: VersionMatch?
    /// Everything that loading it brings along; empty where that was not looked for.
    private(set) var needs = LibraryNeeds()

    /// The libraries of the plugin folder that must be copied with it.
    package var companions: [Companion] { needs.companions }

    /// The paths of the files that it needs and that neither the host has nor its companions are.
    package var neededFiles: [String] { needs.files }

    /// A digest of everything that loading it brings along and that the host does not have: companions by their bytes, other
    /// files by place, size and time of change.
    package var broughtAlong: Digest { needs.digest }

    /// Whether the library may be loaded: by this process, or by a worker of the version that `match` names.
    package var isAccepted: Bool { refusals.isEmpty && note != nil }

    /// The library that host and plugins share.
    static let sdkLibrary = "libGatehouseSDK.so"
}

extension Verdict {
    /// Judges the bytes of a library.
    ///
    /// - Parameters:
    ///   - host: what a plugin must have in common with its host.
    ///   - machine: the processor this host runs on; nil to accept any.
    ///   - search: finds needed libraries.
    ///   - folder: the folder of the file; nil when unknown.
    ///   - versions: the installed versions, one of which may take what this process cannot load.
    package init(
        judging bytes: UnsafeRawBufferPointer, host: BuildIdentity = SDKIdentity.current,
        machine: ELFMachine? = .current, search: LibrarySearch = LibrarySearch(), folder: String? = nil,
        versions: InstalledVersions = .none
    ) {
        do {
            self.init(
                judging: try unsafe ELFImage(reading: bytes), host: host, machine: machine, search: search,
                folder: folder, versions: versions)
        } catch {
            self.init(refusing: error)
        }
    }

    /// Judges a parsed library.
    ///
    /// - Parameters: as above.
    package init(
        judging image: ELFImage, host: BuildIdentity = SDKIdentity.current, machine: ELFMachine? = .current,
        search: LibrarySearch, folder: String?, versions: InstalledVersions = .none
    ) {
        var refusals: [Refusal] = []
        if image.header.type != .sharedObject { refusals.append(.notALibrary(found: image.header.type)) }
        let isOurs = machine == nil || image.header.machine == machine
        if let machine, !isOurs { refusals.append(.machine(expected: machine, found: image.header.machine)) }
        // The loader of this machine never sees a library of another one.
        if machine != nil, isOurs { refusals += image.hazards.map(Refusal.hazard) }
        var note: PluginNote?
        var match: VersionMatch?
        var needs = LibraryNeeds()
        do throws(Refusal) {
            let read = try Self.readNote(among: image.notes)
            note = read
            match = Self.compare(
                read, with: host, image, isOurs: isOurs, versions: versions, &refusals)
            if isOurs, let dynamic = image.dynamic {
                needs = LibraryNeeds(of: dynamic, in: folder, search: search)
            }
        } catch {
            refusals.append(error)
        }
        self.init(
            note: note, refusals: refusals + needs.refusals.map(Refusal.need), warnings: needs.warnings,
            match: match, needs: needs)
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
        var verdict = self
        verdict.refusals += expected.refusals(of: (name, found.hex), with: companions)
        return verdict
    }

    /// The verdict with further reasons in front.
    package func refused(for reasons: [Refusal]) -> Verdict {
        Verdict(note: note, refusals: reasons + refusals, warnings: warnings, match: match, needs: needs)
    }
}

extension SealedFile {
    /// Seals a file, whoever may write to it, and judges it by itself, with what it needs from its folder.
    static func judged(path: String) throws(LibraryFileError) -> (file: SealedFile, verdict: Verdict) {
        let file = try SealedFile(path: path, trust: nil)
        let verdict = unsafe try file.withBytes {
            unsafe Verdict(judging: $0, search: LibrarySearch(), folder: SystemFile.parts(of: path).folder)
        }
        return (file, verdict)
    }
}
