// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// The names of this process's action types; callable from any thread.
final class ActionTypeTable: Sendable {
    /// The table of this process.
    static let shared = ActionTypeTable()

    /// The hash function for all names in it.
    let hash = NameHash()
    /// The names; comparing an `ActionType` compares numbers and never comes here.
    private let names: Lock<ActionNames>

    /// Creates an empty table.
    init(room: ActionNames.Room = ActionNames.Room()) { names = Lock(ActionNames(room: room)) }

    /// Returns the name in use of a type; nil when it was forgotten.
    func name(of type: ActionType) -> ActionName? { names.withLock { $0.name(of: type) } }

    /// Finds or enters a name, and makes it permanent.
    func literal(_ name: String) -> ActionName {
        unsafe find(name) { names, bytes, hash in unsafe names.literal(bytes, hash: hash) }
    }

    /// Finds or enters a name that may be forgotten once nobody holds it; nil when all room is in use.
    ///
    /// - Parameter hash: the table's hash of the bytes.
    func passing(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> ActionName? {
        names.withLock { unsafe $0.passing(bytes, hash: hash) }
    }

    /// Finds or enters a name that stays known as long as another type's.
    func follower(_ name: String, of leader: ActionType) -> ActionName {
        unsafe find(name) { names, bytes, hash in
            unsafe names.follower(bytes, hash: hash, of: leader)
        }
    }

    /// Calls `ask` under the lock with the bytes of a string and their hash.
    private func find(
        _ name: String, _ ask: (inout ActionNames, UnsafeRawBufferPointer, UInt64) -> ActionName
    ) -> ActionName {
        var name = name
        return name.withUTF8 {
            let bytes = UnsafeRawBufferPointer($0)
            let hash = unsafe hash(bytes)
            return names.withLock { unsafe ask(&$0, bytes, hash) }
        }
    }

    /// Keeps a name known as long as another one.
    func follow(_ name: ActionName, _ leader: ActionName) { names.withLock { $0.follow(name, leader) } }
}
