// SPDX-License-Identifier: Apache-2.0

public import GatehouseManifest
public import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Everything that can be said about a file without running it, whatever it is.
///
/// Reads only what it needs: the parts that the headers lead to are copied piece by piece, the digest is made from a small
/// window. The file may change or shrink meanwhile; then the description is of no use, but nothing else happens.
public struct LibraryInspection: Sendable {
    /// The path as it was given.
    public let path: String
    /// The size in bytes.
    public let count: Int
    /// SHA-256 of all bytes; nil for a file that is larger than a plugin may be, which could take hours.
    public let digest: Digest?
    /// What the file is and for which machine; nil when it is no ELF file of 64 bits.
    public let header: ELFHeader?
    /// Its parts; nil when they cannot be read to the end.
    public let image: ELFImage?
    /// Accepted or refused, with all reasons. Owner and mode never refuse here.
    public let verdict: Verdict
    /// What the loader would make of each library that it needs, and of each that those bring along, in order.
    public let needed: [NeededLibrary]
    /// The folders of its run path, in order.
    public let runPath: [RunPathEntry]
    /// The names of the SDK that it uses and this host's SDK does not have, mangled.
    public let missingSymbols: [String]
    /// What gives reason to warn, owner and mode included.
    public let warnings: [String]
    /// The fields in which plugin and host must agree; empty without a note, and for a foreign plugin.
    let identity: [IdentityComparison]

    /// Looks at a file.
    ///
    /// - Parameter host: what a plugin must have in common with its host.
    /// - Throws: when there is nothing to read: no file, a folder, no permission.
    public init(path: String, host: BuildIdentity = SDKIdentity.current) throws(LibraryFileError) {
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
            verdict = Verdict(judging: image, host: host, search: search, folder: folder)
                .refused(for: tooLarge)
            let isOurs = image.header.machine == .current
            // A library that is no plugin is described all the same.
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
        digest = isTooLarge ? nil : try Self.digest(of: file, count: count, path: path)
        warnings =
            Self.warnings(about: path, owner: status.st_uid, mode: status.st_mode) + verdict.warnings
        self.path = path
        self.count = count
    }

    /// The digest of the first `count` bytes of a file, or of fewer if it has become shorter, read through a small window.
    private static func digest(of file: Int32, count total: Int, path: String) throws(LibraryFileError)
        -> Digest
    {
        var hash = SHA256()
        var window = [UInt8](repeating: 0, count: 1 << 16)
        var position = 0
        while true {
            let wanted = min(window.count, total - position)
            let count = unsafe pread(file, &window, wanted, off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw .system(path: path, call: "pread", reason: SystemReason.last)
            }
            if count == 0 { return hash.finish() }
            unsafe window.withUnsafeBytes {
                unsafe hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            position += count
        }
    }

    /// What keeps a run from loading the file although its bytes are good.
    private static func warnings(about path: String, owner: UInt32, mode: UInt32) -> [String] {
        var warnings: [String] = []
        var status = stat()
        if unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
            warnings.append(
                "it is a link; run loads plain files only, put the library itself into the folder")
        }
        do {
            // Strictness makes the group's right an error like the others; here all of them are warnings.
            _ = try FileTrust(isStrict: true).check(path: path, owner: owner, mode: mode)
        } catch {
            warnings.append(error.isAboutStrictness ? error.reason : "run would refuse it: \(error.reason)")
        }
        return warnings
    }
}
