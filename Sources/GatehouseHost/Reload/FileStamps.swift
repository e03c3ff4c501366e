// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// How a configuration file and the libraries of a folder are at some moment, apart from their contents: enough to see later that
/// one of them is another file, or has another content.
public struct FileStamps: Equatable, Sendable {
    /// What is known of one file.
    private struct Stamp: Equatable {
        /// Its path as it was looked at.
        let path: String
        /// Its number and that of its file system.
        var file: [UInt64] = []
        /// Its size in bytes; -1 when there is none.
        var size = -1
        /// When it or what is known of it changed last, in seconds and nanoseconds.
        var changed: [Int] = []

        /// A file as it is now; of a link, what it leads to.
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

    /// The files as they are now.
    ///
    /// - Parameters:
    ///   - file: the configuration file; nil for none.
    ///   - folder: the folder of the libraries.
    public init(of file: String?, folder: String) {
        let libraries = SystemFile.names(inFolder: folder).filter { $0.hasSuffix(".so") }.sorted()
        stamps = ([file].compactMap { $0 } + libraries.map { folder + "/" + $0 }).map(Stamp.init)
    }
}
