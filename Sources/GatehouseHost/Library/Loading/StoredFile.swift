// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// One file of the image store.
enum StoredFile {
    /// What stands in the store under a name.
    enum Finding: Equatable {
        /// The bytes that were judged, in a file that nobody else can change.
        case same
        /// Nothing, or nothing any more.
        case missing
        /// The file is not the one that is wanted, for this reason.
        case different(String)
    }

    /// Owner may read and map it as code, nobody may write to it.
    private static let mode: UInt32 = 0o500

    /// What is told of other bytes.
    private static let difference = "it differed from the library that was judged"

    /// Compares what stands under a name with the bytes of a library.
    ///
    /// - Throws: when the system would not map code from it.
    static func look(
        at name: String, in folder: PrivateFolder, for library: SealedFile
    ) throws(ImageStoreError) -> Finding {
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
        // Another host has just put its own file there.
        guard status.st_nlink > 0 else { return .missing }
        guard status.st_size == library.count else { return .different(difference) }
        // Mapped as it will be: where the system refuses that, it is known before the loader asks.
        guard
            let code = unsafe mmap(
                nil, library.count, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_POPULATE, file, 0),
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

    /// Puts a file with the bytes of a library in place of whatever stands under a name.
    static func write(
        _ library: SealedFile, as name: String, in folder: PrivateFolder
    ) throws(ImageStoreError) {
        // Ends otherwise than any library, and is never guessed: two hosts may do this at the same time.
        let draft = String(UInt64.random(in: .min ... .max), radix: 16) + ".new"
        let file = unsafe openat(
            folder.descriptor, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
        guard file >= 0 else { throw PrivateFolder.failure("open", folder.path + "/" + draft) }
        defer { close(file) }
        do throws(ImageStoreError) {
            try fill(file, library, path: folder.path + "/" + draft)
            guard unsafe renameat(folder.descriptor, draft, folder.descriptor, name) == 0 else {
                throw PrivateFolder.failure("rename", folder.path + "/" + name)
            }
        } catch {
            _ = unsafe unlinkat(folder.descriptor, draft, 0)
            throw error
        }
    }

    /// Copies the bytes, and gives the file its mode whatever the folder or the process takes from it.
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
