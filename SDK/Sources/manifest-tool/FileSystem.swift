// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Reads and writes files by calls of the system.
///
/// The tool is installed with the Swift runtime of the host, which contains no Foundation.
enum FileSystem {
    /// Returns all bytes of a file.
    ///
    /// - Throws: `ToolError` with the system's reason.
    static func bytes(of path: String) throws(ToolError) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(file, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += chunk[..<count]
            } else if errno != EINTR {
                throw unreadable(path)
            }
        }
    }

    /// Returns the paths of all files below a folder, relative to it and in no order; follows no links to folders.
    ///
    /// - Throws: `ToolError` when the folder, or one below it, cannot be listed.
    static func files(below root: String) throws(ToolError) -> [String] {
        var (files, folders) = ([String](), [""])
        while let folder = folders.popLast() {
            let place = folder.isEmpty ? root : root + "/" + folder
            guard let stream = unsafe opendir(place) else {
                throw .file(
                    path: place,
                    "expected the sources of the SDK, cannot list them: \(reason); build against a complete SDK"
                )
            }
            defer { unsafe closedir(stream) }
            while let entry = unsafe readdir(stream) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                    unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
                        unsafe String(cString: $0)
                    }
                }
                let path = folder.isEmpty ? name : folder + "/" + name
                var status = stat()
                guard name != ".", name != "..", unsafe lstat(place + "/" + name, &status) == 0 else {
                    continue
                }
                if status.st_mode & S_IFMT == S_IFDIR { folders.append(path) } else { files.append(path) }
            }
        }
        return files
    }

    /// Writes a file as a whole: a reader sees the old bytes or the new ones. A file that already has these bytes stays untouched, so
    /// that nothing is compiled again without need.
    ///
    /// - Throws: `ToolError` with the system's reason.
    static func write(_ bytes: [UInt8], to path: String) throws(ToolError) {
        // Overwrite an unreadable output.
        if let old = try? self.bytes(of: path), old == bytes { return }
        let fresh = "\(path).\(getpid())"
        let file = unsafe open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard file >= 0 else { throw unwritable(path) }
        defer { close(file) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(
                    file, UnsafeRawBufferPointer(rebasing: $0[written...]).baseAddress, $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                let error = unwritable(path)
                unsafe unlink(fresh)
                throw error
            }
        }
        guard unsafe rename(fresh, path) == 0 else {
            let error = unwritable(path)
            unsafe unlink(fresh)
            throw error
        }
    }

    /// Makes the folder of a file, and those above it.
    ///
    /// - Throws: `ToolError` with the system's reason.
    static func makeFolder(of path: String) throws(ToolError) {
        for slash in path.indices.dropFirst() where path[slash] == "/" {
            let folder = String(path[..<slash])
            if unsafe mkdir(folder, 0o777) != 0 && errno != EEXIST {
                throw .file(path: folder, "cannot make the folder: \(reason); check the folders above it")
            }
        }
    }

    /// The system's reason for the last failure of this thread.
    private static var reason: String { unsafe String(cString: strerror(errno)) }

    /// The error of a file that the last call could not read.
    private static func unreadable(_ path: String) -> ToolError {
        .file(
            path: path, "expected a readable file, cannot read it: \(reason); check the path and its mode")
    }

    /// The error of a file that the last call could not write.
    private static func unwritable(_ path: String) -> ToolError {
        .file(path: path, "cannot write it: \(reason); check the folder, its mode and its space")
    }
}
