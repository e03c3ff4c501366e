// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Runs programs that do what this one leaves to them, such as asking for a password.
enum OtherProgram {
    /// Runs a program with its words on standard error, and waits for its end.
    ///
    /// - Parameter words: its name, looked for on the `PATH`, and its arguments.
    /// - Returns: the exit code, 255 for a signal; nil where there is no such program.
    static func status(of words: [String]) -> Int32? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process = pid_t()
        guard unsafe posix_spawnp(&process, words[0], &actions, nil, &arguments, environ) == 0 else {
            return nil
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        // As the macros WIFEXITED and WEXITSTATUS do.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 255
    }
}
