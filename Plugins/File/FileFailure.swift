// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Why lines were not written.
struct FileFailure: Error, Equatable {
    /// The cause, for programs.
    enum Reason: String, Sendable {
        /// The configuration gives the instance no folder.
        case noDataFolder
        /// There is no room on the disk.
        case diskFull
        /// The folder or the file may not be written to.
        case notWritable
        /// Another process or instance writes to the file.
        case locked
        /// Something other than a file has the name of the file.
        case notAFile
        /// The queue for the disk is full.
        case queueFull
        /// Anything else that the system reports.
        case systemError
    }

    /// The cause, for programs.
    let reason: Reason
    /// One sentence with the remedy.
    let message: String

    /// Creates a failure from a reason and a message.
    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Creates a failure from the system's latest error about a path.
    init(path: String, code: Int32 = errno) {
        let words = unsafe String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            self.init(.diskFull, "\(path): there is no room for more (\(words)); free some")
        case EACCES, EPERM, EROFS:
            self.init(.notWritable, "\(path): \(words); let this user write there")
        default: self.init(.systemError, "\(path): \(words)")
        }
    }
}
