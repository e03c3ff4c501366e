// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Another user of the machine, whose files nobody else should load.
public enum Stranger {
    /// The user id; no account has it.
    public static let identifier: UInt32 = 54_321

    /// Whether this process may give files away; only root may.
    public static var canOwn: Bool { geteuid() == 0 }

    /// Gives a file, a folder or a link to the stranger.
    public static func own(_ path: String) throws {
        guard unsafe lchown(path, identifier, identifier) == 0 else { throw SystemFailure("lchown \(path)") }
    }
}
