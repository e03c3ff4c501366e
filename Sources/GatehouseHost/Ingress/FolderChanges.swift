// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// Readable when something in some folders has changed.
final class FolderChanges: Sendable {
    /// What can be waited for.
    let descriptor: Int32

    /// Changes from here on.
    ///
    /// - Throws: the system's reason not to tell of one of the folders.
    init(in folders: [String]) throws(SystemFailure) {
        let descriptor = gatehouse_changes_open()
        guard descriptor >= 0 else { throw SystemFailure(code: -descriptor) }
        for folder in folders {
            let number = unsafe gatehouse_changes_add(descriptor, folder)
            guard number > 0 else {
                Glibc.close(descriptor)
                throw SystemFailure(code: -number)
            }
        }
        self.descriptor = descriptor
    }

    /// Takes note of what has changed so far.
    func forget() { _ = gatehouse_changes_take(descriptor) }

    /// Tells of nothing any more; called once, when nobody waits.
    func close() { Glibc.close(descriptor) }
}
