// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The steps of one summary that still count, and the window that ends next.
struct Window: Codable, Sendable {
    /// The steps with actions, in order; at most one more than a window has.
    private(set) var panes: [Pane] = []
    /// The last step of the window that ends next.
    private(set) var last: Int64 = 0

    /// Whether there is nothing to report.
    var isEmpty: Bool { panes.isEmpty }

    /// Returns the end of the next window, in seconds since 1970; nil if there is nothing to report.
    func end(for summary: Summary) -> Double? {
        panes.isEmpty ? nil : summary.beginning(of: last.saturatingAdding(1))
    }

    /// Adds an action at a moment after all ended windows.
    mutating func add(_ action: AnyAction, at moment: Double, for summary: Summary) {
        let step = summary.step(at: moment)
        if panes.isEmpty { last = step }
        // After a clock is set back, the last step continues.
        if panes.last.map({ $0.step < step }) ?? true { panes.append(Pane(step: step)) }
        panes[panes.count - 1].add(action, for: summary)
    }

    /// Ends the windows that are over at a moment, and returns their summaries, in order.
    mutating func roll(to moment: Double, for summary: Summary) -> [Value] {
        let now = summary.step(at: moment)
        var told: [Value] = []
        if let newest = panes.last?.step, newest > now.saturatingAdding(summary.steps) {
            // The clock was set back by more than a window: report the counts so far, and start over.
            last = newest
            told.append(tell(for: summary, isPartial: true))
            panes = []
        }
        while !panes.isEmpty, last < now {
            // A window without actions between others is not reported.
            if panes.contains(where: { covers($0, summary) }) { told.append(tell(for: summary)) }
            last += 1
            panes.removeAll { $0.step <= last - summary.steps }
            // Skip windows that begin and end before the oldest step.
            if let oldest = panes.first?.step { last = max(last, oldest) }
        }
        return told
    }

    /// Returns the summary of the next window if it ended now; nil without actions.
    func partial(for summary: Summary) -> Value? { panes.isEmpty ? nil : tell(for: summary, isPartial: true) }

    /// Returns whether a step belongs to the window that ends next.
    private func covers(_ pane: Pane, _ summary: Summary) -> Bool {
        pane.step <= last && pane.step > last - summary.steps
    }

    /// Returns the summary of the next window: everything together, the keys by frequency, and the rest.
    private func tell(for summary: Summary, isPartial: Bool = false) -> Value {
        var cells: [String: Cell] = [:]
        var other = Cell()
        var unread = 0
        let covered = panes.filter { covers($0, summary) }
        for pane in covered {
            unread.saturatingAdd(pane.unread)
            other.mergeRest(pane.other)
            for (key, cell) in pane.cells { cells[key, default: Cell()].merge(cell) }
        }
        // A key may have been among the others in a step without a cell for it.
        for pane in covered where pane.floor > 0 {
            for key in cells.keys where pane.cells[key] == nil { cells[key]?.error.saturatingAdd(pane.floor) }
        }
        let order = cells.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
        var total = other
        for (_, cell) in order { total.mergeRest(cell) }
        for (_, cell) in order.dropFirst(summary.keys) { other.mergeRest(cell) }
        var told: Members = [
            "summary": .string(summary.name),
            "from": .double(summary.beginning(of: last.saturatingAdding(1 - summary.steps))),
            "to": .double(summary.beginning(of: last.saturatingAdding(1))),
            "total": .object(total.told(for: summary)),
        ]
        if summary.by != nil {
            told["keys"] = .object(
                Members(order.prefix(summary.keys).map { ($0.key, .object($0.value.told(for: summary))) }))
            told["other"] = .object(other.told(for: summary))
        }
        if unread > 0 { told["unread"] = .integer(Int64(unread)) }
        if isPartial { told["partial"] = true }
        return .object(told)
    }

    /// Creates a window without actions.
    init() {}

    /// Reads a window, possibly written by hand: orders its steps and limits them to possible times.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let steps = 0...(20 * Moments.last)
        panes = Array(
            try container.decode([Pane].self, forKey: .panes).filter { steps.contains($0.step) }
                .sorted { $0.step < $1.step }.suffix(21))
        let last = min(max(try container.decode(Int64.self, forKey: .last), 0), steps.upperBound)
        // Limit it to the steps from the oldest on, or rolling would take for ever.
        let oldest = panes.first?.step ?? last
        self.last = min(max(last, oldest), oldest + 20)
    }
}

/// The moments of this plugin, in seconds since 1970.
enum Moments {
    /// The beginning of the year 3000; later times of a clock are ignored.
    static let last: Int64 = 32_503_680_000
}
