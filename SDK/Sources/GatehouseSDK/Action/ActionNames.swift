// SPDX-License-Identifier: Apache-2.0

/// Names of action types by place and by hash: some permanent, the others until nobody uses them.
///
/// Arriving names share bounded room. When it is full, a sweep forgets all names that nobody holds and nobody has
/// looked up since the previous sweep. A freed place serves another name under another turn, so that no type ever means
/// two names. Not thread-safe.
struct ActionNames {
    /// The limits for names that may be forgotten.
    struct Room {
        /// The most names in use at the same time.
        var names = 65_536
        /// The most bytes of all names together.
        var bytes = 16 << 20
        /// The number of names from which a sweep pays.
        var sweptNames = 4_096
        /// The number of bytes from which a sweep pays.
        var sweptBytes = 256 << 10
    }

    /// One place of the hash table.
    private struct Place {
        /// The name; nil in a free place.
        var name: ActionName?
        /// The number of forgettable names that this place has had.
        var turn: UInt32 = 0
        /// Whether the name is permanent.
        var isLiteral = false
        /// Whether the name was looked up since the last sweep.
        var isUsed = false
        /// Places of names that stay known as long as this one.
        var followers: [UInt32] = []
    }

    /// The limits, and when a sweep pays.
    private let room: Room
    /// By place; 0 is not used.
    private var places = [Place()]
    /// Places by hash, 0 for none; open addressing, a power of two, at most half full.
    private var index = [UInt32](repeating: 0, count: 1024)
    /// Places to reuse.
    private var free: [UInt32] = []
    /// The number of places that have a name, or have used up their turns.
    private var count: Int { places.count - 1 - free.count }
    /// The number of forgettable names, and of their bytes.
    private var passing = (names: 0, bytes: 0)
    /// The size of `passing` that triggers the next sweep.
    private var limit: (names: Int, bytes: Int)

    /// Creates a table without names.
    init(room: Room = Room()) {
        self.room = room
        limit = (room.sweptNames, room.sweptBytes)
    }

    /// Returns the name in use of a type; nil when it was forgotten.
    func name(of type: ActionType) -> ActionName? {
        guard places.indices.contains(type.place), let name = places[type.place].name, name.type == type
        else { return nil }
        return name
    }

    /// Finds or enters a name, and makes it permanent.
    mutating func literal(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> ActionName {
        if let name = unsafe find(bytes, hash: hash) {
            stay(name.type.place)
            return name
        }
        places.append(Place(isLiteral: true))
        let type = ActionType(place: places.count - 1, turn: 0)
        return enter(unsafe ActionName(bytes, hash: hash, type: type))
    }

    /// Finds or enters a name that may be forgotten once nobody holds it; nil when all room is in use.
    mutating func passing(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> ActionName? {
        if let name = unsafe find(bytes, hash: hash) { return name }
        guard makeRoom(for: bytes.count) else { return nil }
        return unsafe enterPassing(bytes, hash: hash)
    }

    /// Finds or enters a name that stays known as long as another one, even beyond the room.
    mutating func follower(_ bytes: UnsafeRawBufferPointer, hash: UInt64, of leader: ActionType) -> ActionName
    {
        guard let leader = name(of: leader) else {
            return unsafe passing(bytes, hash: hash) ?? enterPassing(bytes, hash: hash)
        }
        if places[leader.type.place].isLiteral { return unsafe literal(bytes, hash: hash) }
        // Keep the leader through a sweep; nobody else may hold it at this moment.
        let name =
            unsafe find(bytes, hash: hash)
            ?? withExtendedLifetime(leader) {
                unsafe passing(bytes, hash: hash) ?? enterPassing(bytes, hash: hash)
            }
        follow(name, leader)
        return name
    }

    /// Keeps a name known as long as another one.
    mutating func follow(_ name: ActionName, _ leader: ActionName) {
        let place = name.type.place
        guard name !== leader, !places[place].isLiteral else { return }
        if places[leader.type.place].isLiteral {
            stay(place)
        } else if !places[leader.type.place].followers.contains(UInt32(place)) {
            places[leader.type.place].followers.append(UInt32(place))
        }
    }

    // MARK: - Entering

    /// Returns the name with these bytes, and marks it as used.
    private mutating func find(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> ActionName? {
        var slot = Int(truncatingIfNeeded: hash) & (index.count - 1)
        while index[slot] != 0 {
            let place = Int(index[slot])
            if let name = places[place].name, name.hash == hash, unsafe name.equals(bytes) {
                places[place].isUsed = true
                return name
            }
            slot = (slot + 1) & (index.count - 1)
        }
        return nil
    }

    /// Puts a forgettable name into a free or new place.
    private mutating func enterPassing(_ bytes: UnsafeRawBufferPointer, hash: UInt64) -> ActionName {
        if free.isEmpty {
            places.append(Place())
            free.append(UInt32(places.count - 1))
        }
        let place = Int(free.removeLast())
        places[place].turn += 1
        passing.names += 1
        passing.bytes += bytes.count
        let type = ActionType(place: place, turn: places[place].turn)
        return enter(unsafe ActionName(bytes, hash: hash, type: type))
    }

    /// Puts a name into its place.
    private mutating func enter(_ name: ActionName) -> ActionName {
        places[name.type.place].name = name
        if count * 2 > index.count {
            makeIndex()
        } else {
            addToIndex(name)
        }
        return name
    }

    /// Makes a name and its followers permanent.
    private mutating func stay(_ place: Int) {
        guard !places[place].isLiteral, let name = places[place].name else { return }
        places[place].isLiteral = true
        passing.names -= 1
        passing.bytes -= name.count
        let followers = places[place].followers
        places[place].followers = []
        for follower in followers { stay(Int(follower)) }
    }

    /// Adds the place of a name to the index.
    private mutating func addToIndex(_ name: ActionName) {
        var slot = Int(truncatingIfNeeded: name.hash) & (index.count - 1)
        while index[slot] != 0 { slot = (slot + 1) & (index.count - 1) }
        index[slot] = UInt32(name.type.place)
    }

    /// Rebuilds the index.
    private mutating func makeIndex() {
        var size = 1024
        while size < count * 4 { size *= 2 }
        index = [UInt32](repeating: 0, count: size)
        for place in places { if let name = place.name { addToIndex(name) } }
    }

    // MARK: - Sweeping

    /// Makes room for one more name; false when all is in use.
    private mutating func makeRoom(for bytes: Int) -> Bool {
        while passing.names >= limit.names || passing.bytes + bytes > limit.bytes {
            let isFinal = !sweep()
            limit.names = min(room.names, max(room.sweptNames, passing.names * 2))
            limit.bytes = min(room.bytes, max(room.sweptBytes, (passing.bytes + bytes) * 2))
            if isFinal { return passing.names < limit.names && passing.bytes + bytes <= limit.bytes }
        }
        return true
    }

    /// Forgets names that nobody holds and nobody looked up since the last sweep, except followers of a kept one.
    ///
    /// O(places). Returns whether another sweep could forget more.
    private mutating func sweep() -> Bool {
        var kept = [Bool](repeating: false, count: places.count)
        var leaders: [Int] = []
        var mayForgetMore = false
        for place in places.indices where places[place].name != nil && !places[place].isLiteral {
            let isHeld = !isKnownUniquelyReferenced(&places[place].name)
            guard isHeld || places[place].isUsed else { continue }
            if !isHeld { mayForgetMore = true }
            places[place].isUsed = false
            kept[place] = true
            leaders.append(place)
        }
        while let leader = leaders.popLast() {
            for follower in places[leader].followers where !kept[Int(follower)] {
                kept[Int(follower)] = true
                leaders.append(Int(follower))
            }
        }
        let before = passing.names
        for place in places.indices where !kept[place] && !places[place].isLiteral { forget(place) }
        if passing.names < before { makeIndex() }
        return mayForgetMore
    }

    /// Frees a place.
    private mutating func forget(_ place: Int) {
        guard let name = places[place].name else { return }
        passing.names -= 1
        passing.bytes -= name.count
        places[place].name = nil
        places[place].followers = []
        // A place that has used up its turns stays empty for good.
        if places[place].turn < UInt32.max >> 1 { free.append(UInt32(place)) }
    }
}
