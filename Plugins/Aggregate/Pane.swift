// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The actions of one step, by key: as many keys as a summary counts apart, and the rest together.
///
/// Space-Saving selects the keys: a new key replaces the rarest, and may have come as often before as that one. So each key
/// with more than one in `keys` actions is counted apart at the end.
struct Pane: Codable, Sendable {
    /// The step's number; see `Summary.step(at:)`.
    let step: Int64
    /// The keys that are counted apart.
    private(set) var cells: [String: Cell] = [:]
    /// Actions without a key, and those of keys before they had a cell or since they lost it.
    private(set) var other = Cell()
    /// The most actions of a key without a cell.
    private(set) var floor = 0
    /// The number of actions with an invalid number, or one too large to add.
    private(set) var unread = 0

    /// Creates a step without actions.
    init(step: Int64) { self.step = step }

    /// Adds an action.
    mutating func add(_ action: AnyAction, for summary: Summary) {
        var number: Double?
        if let place = summary.value, let found = action.payload(at: place) {
            number = found.doubleValue.flatMap { abs($0) <= Cell.largest ? $0 : nil }
            if number == nil { unread.saturatingAdd(1) }
        }
        let text = summary.distinct.flatMap { action.key(at: $0) }
        guard let key = summary.by.flatMap({ action.key(at: $0) }) else {
            return other.add(number, text, for: summary)
        }
        makeRoom(for: key, summary.keys)
        cells[key, default: Cell()].add(number, text, for: summary)
    }

    /// Merges the rarest keys into the others, until there is room for a new one.
    private mutating func makeRoom(for key: String, _ limit: Int) {
        guard cells[key] == nil else { return }
        while cells.count >= limit, let rarest = rarest {
            floor = max(floor, rarest.rank)
            if let cell = cells.removeValue(forKey: rarest.key) { other.mergeRest(cell) }
        }
        if floor > 0 { cells[key, default: Cell()].error = floor }
    }

    /// The rarest key, as far as known; of several the first in order, so that a journal finds the same.
    private var rarest: (key: String, rank: Int)? {
        var found: (key: String, rank: Int)?
        for (key, cell) in cells {
            let rank = cell.count.saturatingAdding(cell.error)
            if let best = found, (best.rank, best.key) < (rank, key) { continue }
            found = (key, rank)
        }
        return found
    }
}

extension Cell {
    /// Merges a cell whose key loses it: its possible error is counted here already.
    mutating func mergeRest(_ cell: Cell) {
        var cell = cell
        cell.error = 0
        merge(cell)
    }
}
