// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// The metadata of a configuration file and the libraries of a folder at some moment: enough to detect later that one of them is
/// another file, or has other content.
package struct FileStamps: Equatable, Sendable {
    /// The metadata of one file.
    private struct Stamp: Equatable {
        /// The path.
        let path: String
        /// The file system's number and the file's number.
        var file: [UInt64] = []
        /// The size in bytes; -1 when the file is missing.
        var size = -1
        /// The times of the last change of content and of status, in seconds and nanoseconds.
        var changed: [Int] = []

        /// Reads a file's current metadata; a link's target's.
        init(_ path: String) {
            self.path = path
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return }
            file = [UInt64(status.st_dev), UInt64(status.st_ino)]
            size = Int(status.st_size)
            changed = [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ]
        }
    }

    /// The files, the configuration first, then the libraries by name.
    private let stamps: [Stamp]

    /// Reads the current metadata.
    ///
    /// - Parameters:
    ///   - file: the configuration file; nil for none.
    ///   - folder: the folder of the libraries.
    package init(of file: String?, folder: String) {
        let libraries = SystemFile.names(inFolder: folder).filter { $0.hasSuffix(".so") }.sorted()
        stamps = ([file].compactMap { $0 } + libraries.map { folder + "/" + $0 }).map(Stamp.init)
    }
}
