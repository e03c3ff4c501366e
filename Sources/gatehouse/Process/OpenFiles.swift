// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The limit of this process on open files.
enum OpenFiles {
    /// Raises the limit to the maximum: each library in the plugin folder stays open from its verdict to its loading.
    ///
    /// The usual limit of 1,024 is only a default that any process may raise. When the system refuses, it stays.
    static func raiseLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Whether a few more files can be opened: without them the Swift runtime ends the process at its first wait.
    static func haveRoom() -> Bool {
        let copies = (0..<room).map { _ in fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) }
        for copy in copies where copy != -1 { close(copy) }
        return copies.allSatisfy { $0 != -1 }
    }

    /// The files that a run needs besides its libraries: input, signals, waiting, output of plugins, a database.
    static let room = 32
}
