// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

/// How far a journal goes.
package struct JournalExtent: Equatable, Sendable {
    /// The number of the last batch.
    var batch: Int64 = 0
    /// The sequence of the last action.
    var sequence: UInt64 = 0
    /// The greatest number of an input.
    var input: UInt64 = 0
    /// How often the journal was opened for writing.
    var epoch: Int64 = 0
    /// The number of the newest record of a generation.
    var generation: Int64 = 0

    /// What no journal reaches: it stands in a promise while a restore is under way, so that nothing half restored is used.
    static let unreachable = JournalExtent(
        batch: .max, sequence: .max, input: .max, epoch: .max, generation: .max)

    /// Whether nothing is kept yet.
    var isEmpty: Bool { self == JournalExtent() }

    /// Whether everything is here that a promise names.
    func covers(_ promised: JournalExtent) -> Bool {
        batch >= promised.batch && sequence >= promised.sequence && input >= promised.input
            && epoch >= promised.epoch && generation >= promised.generation
    }

    /// What a promise names and what is here instead, each as a part of a sentence.
    func difference(from promised: JournalExtent) -> (expected: String, found: String) {
        if sequence < promised.sequence || input < promised.input { return (promised.actions, actions) }
        if batch < promised.batch { return ("batch \(promised.batch)", "batch \(batch)") }
        if generation < promised.generation {
            return ("generation record \(promised.generation)", "generation record \(generation)")
        }
        return ("opening \(promised.epoch)", "opening \(epoch)")
    }

    /// The last action and the last input, as a part of a sentence.
    var actions: String { "action \(sequence) and input \(input)" }
}

extension JournalExtent {
    /// How far the journal goes that a connection has open, by what its rows say.
    init(_ connection: SQLiteConnection) throws(SQLiteError) {
        var found = JournalExtent()
        try connection.prepare("SELECT id, first + count - 1, input FROM batch ORDER BY id DESC LIMIT 1")
            .first { row in
                found.batch = row.integer(0)
                found.sequence = JournalNumbers.clamped(row.integer(1))
                found.input = JournalNumbers.clamped(row.integer(2))
            }
        found.epoch = try connection.integer("SELECT coalesce(max(number), 0) FROM epoch") ?? 0
        if try JournalSchema.hasGenerations(connection) {
            found.generation = try GenerationTable(connection).last()
        }
        self = found
    }
}
