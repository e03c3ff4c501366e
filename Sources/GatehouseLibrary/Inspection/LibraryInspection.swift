// SPDX-License-Identifier: Apache-2.0

package import GatehouseManifest
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Everything that can be said about any file without running it.
///
/// Reads only what it needs: copies the parts that the headers lead to piece by piece, and computes the digest through a
/// small window. If the file changes or shrinks meanwhile, the description is useless, but nothing else happens.
package struct LibraryInspection: Sendable {
    /// The path as given.
    package let path: String
    /// The size in bytes.
    package let count: Int
    /// SHA-256 of all bytes; nil for a file that is larger than a plugin may be, which could take hours.
    package let digest: Digest?
    /// The kind of file and its machine; nil when it is not a 64-bit ELF file.
    package let header: ELFHeader?
    /// Its parts; nil when they cannot be read completely.
    package let image: ELFImage?
    /// Accepted or refused, with all reasons. Owner and mode never refuse here.
    package let verdict: Verdict
    /// The source of each library that it needs, and of each that those need, in order.
    package let needed: [NeededLibrary]
    /// The folders of its run path, in order.
    package let runPath: [RunPathEntry]
    /// The names of the SDK that it uses and this host's SDK lacks, mangled.
    let missingSymbols: [String]
    /// The warnings, including those about owner and mode.
    package let warnings: [String]
    /// The fields in which plugin and host must agree; empty without a note, and for a foreign plugin.
    let identity: [IdentityComparison]

    /// Inspects a file.
    ///
    /// - Parameter host: what a plugin must have in common with its host.
    /// - Throws: when there is nothing to read: no file, a folder, no permission.
    package init(path: String, host: BuildIdentity = SDKIdentity.current) throws(LibraryFileError) {
        let (file, status) = try SystemFile.openRegular(path)
        defer { close(file) }
        let count = Int(status.st_size)
        let copy = try SparseCopy(descriptor: file, count: count, path: path)
        let search = LibrarySearch()
        let folder = SystemFile.parts(of: path).folder

        let isTooLarge = count > SealedFile.sizeLimit
        let tooLarge: [Refusal] =
            isTooLarge
            ? [.file(.tooLarge(path: path, bytes: count, limit: SealedFile.sizeLimit))] : []

        let reading = unsafe copy.withBytes { bytes in
            Result { () throws(ELFError) in try unsafe ELFImage(reading: bytes, loadedBy: copy) }
        }
        switch reading {
        case .success(let image):
            self.image = image
            header = image.header
            verdict = Verdict(
                judging: image, host: host, search: search, folder: folder,
                versions: InstalledVersions(trust: search.trust)
            ).refused(for: tooLarge)
            let isOurs = image.header.machine == .current
            // A library that is not a plugin is described too.
            let needs =
                verdict.note == nil
                ? image.dynamic.map { LibraryNeeds(of: $0, in: folder, search: search) } : verdict.needs
            needed =
                isOurs
                ? needs?.libraries ?? []
                : (image.dynamic?.needed ?? []).map { NeededLibrary(name: $0, source: .unknown, asker: nil) }
            runPath = needs?.runPath ?? []
            missingSymbols = isOurs ? SDKNames.missing(in: image) : []
        case .failure(let error):
            image = nil
            header = unsafe copy.withBytes { unsafe try? ELFHeader(reading: ByteReader($0, loadedBy: copy)) }
            verdict = Verdict(refusing: error).refused(for: tooLarge)
            (needed, runPath, missingSymbols) = ([], [], [])
        }
        identity = verdict.note?.identity.map { IdentityComparison.all(of: $0, with: host) } ?? []
        digest = isTooLarge ? nil : try SystemFile.digest(of: file, count: count, path: path)
        warnings =
            Self.warnings(about: path, owner: status.st_uid, mode: status.st_mode) + verdict.warnings
        self.path = path
        self.count = count
    }

    /// The obstacles to loading a file whose bytes are good.
    private static func warnings(about path: String, owner: UInt32, mode: UInt32) -> [String] {
        var warnings: [String] = []
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            warnings.append(
                "it is a link; run loads plain files only, put the library itself into the folder")
        }
        do {
            // Strict rules make a writable group an error; here all of them are warnings.
            _ = try FileTrust(isStrict: true).check(path: path, owner: owner, mode: mode)
        } catch {
            warnings.append(error.isAboutStrictness ? error.reason : "run would refuse it: \(error.reason)")
        }
        return warnings
    }
}
