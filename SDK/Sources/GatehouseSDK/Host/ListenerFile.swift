// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The file of a Unix socket that this process has bound, identified by more than its path.
///
/// Another process that finds the socket dead may replace it; that one is not removed.
public struct ListenerFile: Sendable {
    /// The path of the file.
    public let path: String
    /// Device and inode number.
    private let identity: [UInt64]

    /// Identifies the file at an address where this process listens; nil for a port, and when it is gone already.
    public init?(of address: ListeningAddress) {
        guard case .path(let path) = address else { return nil }
        self.init(at: path)
    }

    /// Identifies the socket that this process has just bound at a path; nil when it is gone already.
    public init?(at path: String) {
        guard let identity = Self.identity(of: path) else { return nil }
        (self.path, self.identity) = (path, identity)
    }

    /// Removes the file, unless something else has replaced it.
    ///
    /// Call it before closing the socket, so that a client that finds the file finds a listener.
    public func remove() {
        if Self.identity(of: path) == identity { _ = unsafe unlink(path) }
    }

    /// Device and inode number of a socket's file, unique while the socket is open; nil for anything else.
    private static func identity(of path: String) -> [UInt64]? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }
}
