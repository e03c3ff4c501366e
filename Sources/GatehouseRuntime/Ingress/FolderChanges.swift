// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehouseSupport
private import Glibc

/// A descriptor that becomes readable when something in a set of folders changes; callers must find out what.
package final class FolderChanges: Sendable {
    /// The descriptor to wait for.
    package let descriptor: Int32

    /// Creates an empty set of folders.
    ///
    /// - Throws: the system's reason to have none left.
    package init() throws(SystemFailure) {
        descriptor = gatehouse_changes_open()
        guard descriptor >= 0 else { throw SystemFailure(code: -descriptor) }
    }

    /// Adds a folder; has no effect if it is already in the set.
    ///
    /// - Returns: the number for removing it.
    /// - Throws: the system's reason for not watching it.
    @discardableResult
    package func add(_ folder: String) throws(SystemFailure) -> Int32 {
        let number = unsafe gatehouse_changes_add(descriptor, folder)
        guard number > 0 else { throw SystemFailure(code: -number) }
        return number
    }

    /// Removes a folder.
    package func remove(_ number: Int32) { _ = gatehouse_changes_remove(descriptor, number) }

    /// Consumes the changes so far; false when there are none.
    @discardableResult
    package func take() -> Bool { gatehouse_changes_take(descriptor) != 0 }

    /// Closes the descriptor; called once, when nobody waits.
    package func close() { Glibc.close(descriptor) }
}
