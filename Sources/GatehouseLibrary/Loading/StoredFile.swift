// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// One file of the image store.
enum StoredFile {
    /// What the store has under a name.
    enum Comparison: Equatable {
        /// The judged bytes, in a file that nobody else can change.
        case same
        /// Nothing, perhaps no longer.
        case missing
        /// The file is not the wanted one, for this reason.
        case different(String)
    }

    /// The owner may read it and map it as code; nobody may write to it.
    private static let mode: UInt32 = 0o500

    /// The reason given for other bytes.
    private static let difference = "it differed from the library that was judged"

    /// Ensures that a folder has the bytes of a library and of those it brings along; returns the path of the library.
    ///
    /// - Parameters:
    ///   - disk: where the files, and their names, are when this returns; nil where code is mapped from them, and they need not survive a
    ///     power failure.
    ///   - warn: called for each file that had wrong contents, and was replaced.
    static func keep(
        _ content: ImageContent, in place: PrivateFolder, lastingOn disk: DiskCalls? = nil,
        warn: (String) -> Void
    ) throws(ImageStoreError) -> String {
        for companion in content.companions {
            var steps = companion.name.split(separator: "/").map(String.init)
            guard let name = steps.popLast() else { continue }
            var inner = place
            for step in steps {
                let next = try inner.folder(step)
                if let disk { try inner.sync(on: disk) }
                inner = next
            }
            try keep(companion.file, as: name, in: inner, lastingOn: disk, warn)
        }
        let name = name(of: content.file)
        try keep(content.file, as: name, in: place, lastingOn: disk, warn)
        return place.path + "/" + name
    }

    /// The name of a library there: its own, without characters that the loader would expand.
    static func name(of library: SealedFile) -> String { library.name.replacing("$", with: "_") }

    /// Ensures that a file has the bytes of a library.
    private static func keep(
        _ library: SealedFile, as name: String, in place: PrivateFolder, lastingOn disk: DiskCalls?,
        _ warn: (String) -> Void
    ) throws(ImageStoreError) {
        for _ in 0..<3 {
            switch try look(at: name, in: place, for: library, isMapped: disk == nil) {
            case .same:
                // Whoever wrote it may have died before its name was on the disk.
                if let disk { try place.sync(on: disk) }
                return
            case .missing: break
            case .different(let reason):
                warn(
                    "\(place.path)/\(name): \(reason), and was replaced; only gatehouse should write there"
                )
            }
            try write(library, as: name, in: place, lastingOn: disk)
        }
        throw .unsteady(path: place.path + "/" + name)
    }

    /// Compares the file under a name with the bytes of a library.
    ///
    /// - Parameter isMapped: whether code will be mapped from it.
    /// - Throws: when the system would not map code from it.
    static func look(
        at name: String, in folder: PrivateFolder, for library: SealedFile, isMapped: Bool = true
    ) throws(ImageStoreError) -> Comparison {
        let file = unsafe openat(
            folder.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return .missing
            case ELOOP: return .different("it was a link")
            default: return .different("it could not be opened (\(SystemReason.last))")
            }
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else {
            throw PrivateFolder.failure("fstat", folder.path + "/" + name)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return .different("it was no plain file") }
        guard status.st_uid == geteuid() else { return .different("it belonged to user \(status.st_uid)") }
        guard status.st_mode & 0o7777 == mode else {
            return .different("its mode was \(String(status.st_mode & 0o7777, radix: 8)) instead of 500")
        }
        // Another host has just replaced it with its own file.
        guard status.st_nlink > 0 else { return .missing }
        guard status.st_size == library.count else { return .different(difference) }
        // Mapped as it will be used, to find out whether the system refuses before the loader asks.
        guard
            let code = unsafe mmap(
                nil, library.count, isMapped ? PROT_READ | PROT_EXEC : PROT_READ,
                MAP_PRIVATE | MAP_POPULATE, file, 0),
            unsafe code != MAP_FAILED
        else { throw .noCode(path: folder.path, reason: SystemReason.last) }
        defer { unsafe munmap(code, library.count) }
        do throws(LibraryFileError) {
            let isSame = unsafe try library.withBytes { judged in
                guard let judged = judged.baseAddress else { return true }
                return unsafe memcmp(code, judged, library.count) == 0
            }
            return isSame ? .same : .different(difference)
        } catch {
            throw .file(error)
        }
    }

    /// Replaces whatever is under a name with the bytes of a library.
    ///
    /// - Parameter disk: where the bytes are before they have the name; nil where they need not survive a power failure.
    static func write(
        _ library: SealedFile, as name: String, in folder: PrivateFolder, lastingOn disk: DiskCalls? = nil
    ) throws(ImageStoreError) {
        // Unlike the name of any library, and unpredictable: two hosts may do this at the same time.
        let draft = String(UInt64.random(in: .min ... .max), radix: 16) + ".new"
        let file = unsafe openat(
            folder.descriptor, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard file >= 0 else { throw PrivateFolder.failure("open", folder.path + "/" + draft) }
        defer { close(file) }
        do throws(ImageStoreError) {
            try fill(file, library, path: folder.path + "/" + draft)
            if let disk, disk.sync(file, folder.path + "/" + draft) != 0 {
                throw PrivateFolder.failure("fsync", folder.path + "/" + draft)
            }
            guard unsafe renameat(folder.descriptor, draft, folder.descriptor, name) == 0 else {
                throw PrivateFolder.failure("rename", folder.path + "/" + name)
            }
        } catch {
            _ = unsafe unlinkat(folder.descriptor, draft, 0)
            throw error
        }
    }

    /// Copies the bytes, and sets the file's mode whatever the folder or the umask removes from it.
    private static func fill(
        _ file: Int32, _ library: SealedFile, path: String
    ) throws(ImageStoreError) {
        var offset: off_t = 0
        while offset < library.count {
            let copied = unsafe sendfile(file, library.descriptor, &offset, library.count - offset)
            guard copied > 0 || (copied < 0 && errno == EINTR) else {
                throw PrivateFolder.failure("sendfile", path)
            }
        }
        guard fchmod(file, mode) == 0 else { throw PrivateFolder.failure("fchmod", path) }
    }
}
