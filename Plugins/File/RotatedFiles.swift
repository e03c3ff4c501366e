// SPDX-License-Identifier: Apache-2.0

internal import CZlib
internal import Glibc

/// The rotated files: `NAME.000001`, and `NAME.000001.gz` once compressed. The highest number is the newest.
struct RotatedFiles {
    /// The folder of the files.
    let folder: String
    /// The name of the current file.
    let name: String

    /// One of the files.
    private struct Entry {
        /// Its number.
        let number: Int
        /// Its path.
        let path: String
        /// Whether it is compressed.
        let isCompressed: Bool
    }

    /// Returns all rotated files, oldest first.
    ///
    /// - Parameter removesUnfinished: whether to remove the remains of an interrupted compression. Only for the compressing
    ///   caller: anybody else would remove a file being written.
    private func entries(removesUnfinished: Bool = false) -> [Entry] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var entries: [Entry] = []
        while let found = unsafe readdir(directory) {
            let file = unsafe withUnsafePointer(to: &found.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard file.hasPrefix(name + ".") else { continue }
            var rest = file.dropFirst(name.count + 1)
            let isUnfinished = rest.hasSuffix(".gz.part")
            let isCompressed = rest.hasSuffix(".gz")
            if isUnfinished { rest = rest.dropLast(8) } else if isCompressed { rest = rest.dropLast(3) }
            guard rest.count >= 6, rest.allSatisfy({ ("0"..."9").contains($0) }), let number = Int(rest)
            else { continue }
            let path = "\(folder)/\(file)"
            if isUnfinished {
                if removesUnfinished { _ = unsafe unlink(path) }
            } else {
                entries.append(Entry(number: number, path: path, isCompressed: isCompressed))
            }
        }
        return entries.sorted { ($0.number, $0.path) < ($1.number, $1.path) }
    }

    /// Renames the current file to the next number; returns its new path.
    func rotate() throws(FileFailure) -> String {
        let next = (entries().last?.number ?? 0) + 1
        let digits = String(next)
        let new = "\(folder)/\(name)." + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
        let old = "\(folder)/\(name)"
        guard unsafe rename(old, new) == 0 else { throw FileFailure(path: old) }
        return new
    }

    /// Compresses uncompressed files, oldest first, and deletes the oldest beyond a number to keep, 0 for all.
    ///
    /// A file is removed only when its compressed form is complete and on the disk, so an accident leaves one of the two, or
    /// both.
    func tidy(compress: Bool, keep: Int) throws(FileFailure) {
        var entries = entries(removesUnfinished: true)
        if keep > 0 {
            for entry in entries.dropLast(keep) where unsafe unlink(entry.path) != 0 && errno != ENOENT {
                throw FileFailure(path: entry.path)
            }
            entries = entries.suffix(keep)
        }
        for entry in entries where compress && !entry.isCompressed { try Self.compress(entry.path) }
    }

    /// Replaces a file by its compressed form.
    private static func compress(_ path: String) throws(FileFailure) {
        let source = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw FileFailure(path: path) }
        defer { close(source) }
        let part = path + ".gz.part"
        let target = unsafe open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o640)
        guard target >= 0 else { throw FileFailure(path: part) }
        defer { close(target) }
        do throws(FileFailure) {
            try copy(source, path, to: target, part)
            guard fsync(target) == 0, unsafe rename(part, path + ".gz") == 0 else {
                throw FileFailure(path: part)
            }
        } catch {
            _ = unsafe unlink(part)
            throw error
        }
        LineFile.syncName(of: path)
        _ = unsafe unlink(path)
    }

    /// Writes a file, compressed, to another one.
    private static func copy(
        _ source: Int32, _ path: String, to target: Int32, _ part: String
    ) throws(FileFailure) {
        // zlib closes its descriptor.
        let handed = fcntl(target, F_DUPFD_CLOEXEC, 0)
        guard let stream = unsafe gzdopen(handed, "wb6") else { throw FileFailure(path: part) }
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe read(source, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let failure = count < 0 ? FileFailure(path: path) : nil
                let closed = unsafe gzclose(stream)
                if let failure { throw failure }
                guard closed == Z_OK else { throw FileFailure(path: part) }
                return
            }
            guard unsafe gzwrite(stream, chunk, UInt32(count)) == Int32(count) else {
                let failure = FileFailure(path: part)
                _ = unsafe gzclose(stream)
                throw failure
            }
        }
    }
}
