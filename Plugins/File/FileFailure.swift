// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Why lines were not written.
struct FileFailure: Error, Equatable {
    /// What went wrong, for programs.
    enum Reason: String, Sendable {
        /// The configuration gives the instance no folder.
        case noDataFolder
        /// There is no room on the disk.
        case diskFull
        /// The folder or the file may not be written to.
        case notWritable
        /// Somebody else writes to the file.
        case locked
        /// There is something else under the name of the file.
        case notAFile
        /// As much waits for the disk as may wait.
        case queueFull
        /// Anything else that the system reports.
        case systemError
    }

    /// The kind of failure, for programs.
    let reason: Reason
    /// One sentence with what to do.
    let message: String

    /// A failure with a reason and a message that are given.
    init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// What the system said about a path just now.
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
