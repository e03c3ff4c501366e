// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// A descriptor that becomes readable when something in a set of folders changes; callers must find out what.
final class FolderChanges: Sendable {
    /// The descriptor to wait for.
    let descriptor: Int32

    /// Creates an empty set of folders.
    ///
    /// - Throws: the system's reason to have none left.
    init() throws(SystemFailure) {
        descriptor = gatehouse_changes_open()
        guard descriptor >= 0 else { throw SystemFailure(code: -descriptor) }
    }

    /// Adds a folder; has no effect if it is already in the set.
    ///
    /// - Returns: the number for removing it.
    /// - Throws: the system's reason for not watching it.
    @discardableResult
    func add(_ folder: String) throws(SystemFailure) -> Int32 {
        let number = unsafe gatehouse_changes_add(descriptor, folder)
        guard number > 0 else { throw SystemFailure(code: -number) }
        return number
    }

    /// Removes a folder.
    func remove(_ number: Int32) { _ = gatehouse_changes_remove(descriptor, number) }

    /// Consumes the changes so far; false when there are none.
    @discardableResult
    func take() -> Bool { gatehouse_changes_take(descriptor) != 0 }

    /// Closes the descriptor; called once, when nobody waits.
    func close() { Glibc.close(descriptor) }
}
