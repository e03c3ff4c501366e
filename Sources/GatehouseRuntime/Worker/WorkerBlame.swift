// SPDX-License-Identifier: Apache-2.0

/// Whose doing the end of a process was that instances shared, as far as that can be known.
///
/// All that a process leaves is written by code that shares its memory, so this is what an honest bug leaves; a plugin that lies can
/// put the blame on those beside it.
package struct WorkerBlame {
    /// The instances that may have ended it, as indexes: one that is known, or all that cannot be told apart. Never empty.
    let suspects: [Int]
    /// What the flight recorder tells of them; nil for nothing, or for somebody else.
    let record: FlightRecord?

    /// What a process has left.
    struct Traces {
        /// The first instance whose session was objected to.
        var objected: Int?
        /// The instance that was being made.
        var making: Int?
        /// What the flight recorder tells of the death, or of what ran at last.
        var record: FlightRecord?
        /// The instances of the library in which the innermost call of any was.
        var callees: [Int] = []
    }

    /// Finds it out.
    ///
    /// - Parameters:
    ///   - ids: the ids of the instances, in the order of the process.
    ///   - own: what the flight recorder tells of the store of one instance; nil for nothing.
    init(_ ids: [String], by traces: Traces, own: (Int) -> FlightRecord?) {
        guard ids.count > 1 else {
            (suspects, record) = ([0], traces.record)
            return
        }
        let recorded = traces.record.flatMap { Self.index(of: $0, among: ids) }
        // An objection is about one session, whatever others did at that moment.
        if let objected = traces.objected {
            (suspects, record) = ([objected], recorded == objected ? traces.record : own(objected))
        } else if let recorded {
            (suspects, record) = ([recorded], traces.record)
        } else {
            let all = traces.making.map { [$0] } ?? traces.callees
            (suspects, record) = (all.isEmpty ? Array(ids.indices) : all, nil)
        }
    }

    /// Whose effects are blamed where those of several instances may be to blame: the youngest of all, as among those of one.
    ///
    /// - Parameter effects: for each instance, the action of its youngest effect that may be, and whether one of its effects was blamed so
    ///   often that something is to be left out; nil for none.
    /// - Returns: the index of the instance, and the action; nil while nothing is to be left out.
    package static func effect(among effects: [(sequence: UInt64, isEnough: Bool)?]) -> (
        index: Int, sequence: UInt64
    )? {
        guard effects.contains(where: { $0?.isEnough == true }) else { return nil }
        return effects.enumerated()
            .compactMap { index, effect in effect.map { (index: index, sequence: $0.sequence) } }
            .max { $0.sequence < $1.sequence }
    }

    /// The instance that a record is about; nil where that is not known.
    private static func index(of record: FlightRecord, among ids: [String]) -> Int? {
        if case .partition(let number?) = record.store, ids.indices.contains(number) { return number }
        // The flight recorder cuts long ids.
        guard let id = record.instance, !id.isEmpty else { return nil }
        let found = ids.indices.filter { ids[$0] == id || ids[$0].hasPrefix(id) && id.utf8.count >= 60 }
        return found.count == 1 ? found[0] : nil
    }
}
