// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseJournal
internal import GatehouseSDK

/// A part of the past small enough to send at once.
struct HistoryPage {
    /// The most bytes of actions sent at once; one more action may exceed it.
    private static let mostBytes = 1 << 20
    /// The most actions examined for one page.
    private static let mostLooks = 65_536
    /// The number of actions read at a time.
    private static let window: UInt64 = 2_048

    /// The numbers of the kept actions; nil when there are none.
    private let bounds: ClosedRange<UInt64>?
    /// The actions, in order.
    private(set) var entries: [JournalRecord] = []
    /// Where to continue with older actions: before the action with this number; nil when there are none.
    private(set) var earlier: UInt64?
    /// Whether the result exceeds the page.
    private(set) var isCut = false
    /// Sentences about unreadable parts, in no order.
    private(set) var damage: [String] = []
    /// How many actions were examined.
    private var looks = 0
    /// The number of bytes of the actions.
    private var bytes = 0

    /// Reads the result of a query.
    init(_ query: HistoryQuery, of history: History) throws(JournalFailure) {
        bounds = try history.bounds()
        if let sequence = query.causes {
            try findCauses(of: sequence, atMost: query.limit, in: history)
        } else {
            try findNewest(query, in: history)
        }
    }

    /// Whether there is room for another action.
    private func hasRoom(_ limit: Int) -> Bool { entries.count < limit && bytes < Self.mostBytes }

    /// Appends an action.
    private mutating func add(_ entry: JournalRecord) {
        entries.append(entry)
        bytes += entry.bytes.count
    }

    /// Finds the newest actions, window by window from the end, without touching the distant past.
    private mutating func findNewest(_ query: HistoryQuery, in history: History) throws(JournalFailure) {
        guard let bounds else { return }
        // The action after the next one to examine.
        var end = min(query.before ?? .max, bounds.upperBound + 1)
        let stop = end > UInt64(Self.mostLooks) ? end - UInt64(Self.mostLooks) : 0
        let text = query.text.map(RecordedText.init)
        look: while end > bounds.lowerBound, end > stop {
            let start = max(bounds.lowerBound, end > Self.window ? end - Self.window : 1)
            for entry in try read(from: start, to: end - 1, in: history).reversed() {
                guard hasRoom(query.limit) else { break look }
                end = entry.sequence
                looks += 1
                guard query.admits(type: entry.type, instance: entry.instance),
                    text?.occurs(in: entry) ?? true
                else { continue }
                add(entry)
            }
            end = start
        }
        entries.reverse()
        if end > bounds.lowerBound { earlier = end }
    }

    /// Finds the causes and consequences of an action, within limits.
    private mutating func findCauses(
        of sequence: UInt64, atMost limit: Int, in history: History
    ) throws(JournalFailure) {
        let last = sequence + UInt64(Self.mostLooks)
        var (count, bytes) = (0, 0)
        entries = try history.causes(of: sequence, upTo: last) { entry in
            guard count < limit, bytes < Self.mostBytes else {
                isCut = true
                return false
            }
            (count, bytes) = (count + 1, bytes + entry.bytes.count)
            return true
        } onDamage: {
            note($0)
        }
        if !entries.isEmpty, let bounds, bounds.upperBound > last { isCut = true }
    }

    /// Returns the actions between two numbers; notes missing ones.
    private mutating func read(
        from first: UInt64, to last: UInt64, in history: History
    ) throws(JournalFailure) -> [JournalRecord] {
        let cursor = HistoryCursor(history.reader, from: first, to: last)
        var read: [JournalRecord] = []
        while let item = try cursor.next() {
            switch item {
            case .record(let entry): read.append(entry)
            case .damage(let part): note(part)
            }
        }
        return read
    }

    /// Notes a missing part of the journal, once.
    private mutating func note(_ part: JournalDamage) {
        if !damage.contains("\(part)") { damage.append("\(part)") }
    }

    /// The page for programs.
    var value: Value {
        var members: Members = [:]
        members["bounds"] = bounds.map {
            ["first": Value($0.lowerBound), "last": Value($0.upperBound)]
        }
        members["actions"] = .array(entries.map(\.value))
        members["earlier"] = earlier.map { Value($0) }
        if looks > 0 { members["searched"] = Value(looks) }
        if isCut { members["cut"] = true }
        if !damage.isEmpty { members["damage"] = .array(damage.map { .string($0) }) }
        return .object(members)
    }
}
