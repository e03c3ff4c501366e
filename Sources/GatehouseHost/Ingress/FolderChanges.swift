// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// Readable when something in some folders has changed; what, is for others to find out.
final class FolderChanges: Sendable {
    /// What can be waited for.
    let descriptor: Int32

    /// Changes from here on, in no folder so far.
    ///
    /// - Throws: the system's reason to have none left.
    init() throws(SystemFailure) {
        descriptor = gatehouse_changes_open()
        guard descriptor >= 0 else { throw SystemFailure(code: -descriptor) }
    }

    /// Tells of a folder, from here on; of one that it tells of already, nothing changes.
    ///
    /// - Returns: the number by which it is forgotten.
    /// - Throws: the system's reason not to tell of it.
    @discardableResult
    func add(_ folder: String) throws(SystemFailure) -> Int32 {
        let number = unsafe gatehouse_changes_add(descriptor, folder)
        guard number > 0 else { throw SystemFailure(code: -number) }
        return number
    }

    /// Tells of a folder no longer.
    func remove(_ number: Int32) { _ = gatehouse_changes_remove(descriptor, number) }

    /// Takes note of what has changed so far; false when nothing has.
    @discardableResult
    func take() -> Bool { gatehouse_changes_take(descriptor) != 0 }

    /// Tells of nothing any more; called once, when nobody waits.
    func close() { Glibc.close(descriptor) }
}
