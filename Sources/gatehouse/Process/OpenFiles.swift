// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// How many files this process may have open at once.
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
}
