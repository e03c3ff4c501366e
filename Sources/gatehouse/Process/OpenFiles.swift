// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The limits of this process on files.
enum OpenFiles {
    /// Takes all that the system grants: each library in the plugin folder is kept open from its verdict to its loading.
    ///
    /// The usual limit of 1,024 is only a default that each process may raise. When that is refused, it stays as it is.
    static func raiseLimit() {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Whether a few more can be opened: without them the Swift runtime ends the process where it first waits for something.
    static func haveRoom() -> Bool {
        let copies = (0..<room).map { _ in fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0) }
        for copy in copies where copy >= 0 { close(copy) }
        return copies.allSatisfy { $0 >= 0 }
    }

    /// What a run needs beside its libraries: input, signals, waiting, words of plugins, a database.
    static let room = 32
}
