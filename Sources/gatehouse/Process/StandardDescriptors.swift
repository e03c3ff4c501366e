// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The three descriptors that a program expects to find open.
enum StandardDescriptors {
    /// Opens something that fails at each standard descriptor that is closed.
    ///
    /// Otherwise the next file or pipe to be opened would take its number: the host would wait for input from its own
    /// wake-up pipe for ever, or write results into a library. Call it before anything is opened.
    static func occupyClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            // The lowest free number is this one, because those before it are open. The wrong direction makes every
            // later use fail as with the closed descriptor.
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
