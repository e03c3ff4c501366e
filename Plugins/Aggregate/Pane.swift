// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The actions of one step, by key: as many keys as a summary may have apart, and the rest together.
///
/// Which keys are apart is decided as Space-Saving does: a new key takes the place of the rarest, and may have come as often before as
/// that one. So each key that comes more often than one in `keys` actions is apart at the end.
struct Pane: Codable, Sendable {
    /// The step's number; see `Summary.step(at:)`.
    let step: Int64
    /// The keys that are counted apart.
    private(set) var cells: [String: Cell] = [:]
    /// What has no key, and what came of keys before they were apart or since they are no more.
    private(set) var other = Cell()
    /// How often at most a key has come that is not apart.
    private(set) var floor = 0
    /// Actions whose number is none, or too large to add.
    private(set) var unread = 0

    /// A step without actions.
    init(step: Int64) { self.step = step }

    /// Adds an action.
    mutating func add(_ action: AnyAction, for summary: Summary) {
        var number: Double?
        if let place = summary.value, let found = action.payload(at: place) {
            number = found.doubleValue.flatMap { abs($0) <= Cell.largest ? $0 : nil }
            if number == nil { unread.add(1) }
        }
        let text = summary.distinct.flatMap { action.key(at: $0) }
        guard let key = summary.by.flatMap({ action.key(at: $0) }) else {
            return other.add(number, text, for: summary)
        }
        makeRoom(for: key, summary.keys)
        cells[key, default: Cell()].add(number, text, for: summary)
    }

    /// Lets the rarest keys join the others, until there is room for one that is new.
    private mutating func makeRoom(for key: String, _ limit: Int) {
        guard cells[key] == nil else { return }
        while cells.count >= limit, let rarest = rarest {
            floor = max(floor, rarest.rank)
            if let cell = cells.removeValue(forKey: rarest.key) { other.mergeRest(cell) }
        }
        if floor > 0 { cells[key, default: Cell()].error = floor }
    }

    /// The key that has come least often, as far as is known; of several the first by its letters, so that a journal finds the same.
    private var rarest: (key: String, rank: Int)? {
        var found: (key: String, rank: Int)?
        for (key, cell) in cells {
            let rank = cell.count.adding(cell.error)
            if let best = found, (best.rank, best.key) < (rank, key) { continue }
            found = (key, rank)
        }
        return found
    }
}

extension Cell {
    /// Adds the actions of a cell whose key is no longer apart: what may be missing there is here already.
    mutating func mergeRest(_ cell: Cell) {
        var cell = cell
        cell.error = 0
        merge(cell)
    }
}
