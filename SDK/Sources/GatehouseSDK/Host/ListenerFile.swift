// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The file of a Unix socket that this process has bound, told by what it is and not by its path alone.
///
/// Whoever finds the socket dead may put another one in its place; that one is not removed.
public struct ListenerFile: Sendable {
    /// Where it is.
    public let path: String
    /// What the system knows the file by.
    private let identity: [UInt64]

    /// The file at the path of an address where this process listens; nil for a port, and when it is gone already.
    public init?(of address: ListeningAddress) {
        guard case .path(let path) = address else { return nil }
        self.init(at: path)
    }

    /// The socket that this process has just bound at a path; nil when it is gone already.
    public init?(at path: String) {
        guard let identity = Self.identity(of: path) else { return nil }
        (self.path, self.identity) = (path, identity)
    }

    /// Removes the file, unless something else stands there by now. Call it before the socket is closed: who finds the file finds
    /// somebody who listens.
    public func remove() {
        if Self.identity(of: path) == identity { _ = unsafe unlink(path) }
    }

    /// Device and number of a socket's file; nil for anything else. As long as the socket is open no other file gets the number.
    private static func identity(of path: String) -> [UInt64]? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return [UInt64(status.st_dev), UInt64(status.st_ino)]
    }
}
