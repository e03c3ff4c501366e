// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// The names of action types of this process; callable from any thread.
final class ActionTypeTable: Sendable {
    /// The table of this process.
    static let shared = ActionTypeTable()

    /// The hash of all names in it.
    let hash = NameHash()
    /// The names; whoever keeps an `ActionType` compares numbers and never comes here.
    private let names: Lock<ActionNames>

    /// An empty table.
    init(room: ActionNames.Room = ActionNames.Room()) {
        names = Lock(ActionNames(room: room))
    }

    /// The name in use of a type; nil when it was forgotten.
    func name(of type: ActionType) -> ActionName? {
        names.withLock { $0.name(of: type) }
    }

    /// Finds or enters a name that is known for ever from now on.
    func literal(_ name: String) -> ActionName {
        unsafe find(name) { names, bytes, hash in unsafe names.literal(bytes, hash: hash) }
    }

    /// Finds or enters a name that may be forgotten once nobody holds it; nil when as many as there is room for are held.
    ///
    /// - Parameter hash: the table's hash of the bytes.
    func passing(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> ActionName? {
        names.withLock { unsafe $0.passing(bytes, hash: hash) }
    }

    /// Finds or enters a name that is known as long as the name of another type.
    func follower(_ name: String, of leader: ActionType) -> ActionName {
        unsafe find(name) { names, bytes, hash in
            unsafe names.follower(bytes, hash: hash, of: leader)
        }
    }

    /// Asks the names for one that is given as a string, by its bytes and their hash.
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

    /// Lets a name be known as long as another one.
    func follow(_ name: ActionName, _ leader: ActionName) {
        names.withLock { $0.follow(name, leader) }
    }
}
