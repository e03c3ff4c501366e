// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite
internal import GatehouseSupport
private import Glibc

/// Decides whether a host may use a journal: only if everything is there that was promised, unless the operator accepts the loss.
///
/// Nothing is written before the decision.
struct JournalAdmission {
    /// The journal's folder.
    private let folder: String
    /// What stands beside it.
    private let found: JournalPromise.Found
    /// Whether what is lost is left out.
    private let acceptsLoss: Bool
    /// Whether inputs are kept before anything is done with them.
    private let keepsFirst: Bool
    /// What an operator should know.
    private(set) var diagnostics: [Diagnostic] = []

    /// So many inputs at most were dispatched and not kept when a host ended that does not keep them first: four times what waits for
    /// its writer.
    static let unkept = UInt64(JournalQueue.room) * 4

    /// Reads the promise, and refuses a promised journal that is not there.
    init(folder: String, acceptsLoss: Bool, keepsFirst: Bool = true) throws(JournalFailure) {
        self.folder = folder
        self.acceptsLoss = acceptsLoss
        self.keepsFirst = keepsFirst
        found = try JournalPromise.read(folder: folder)
        let status = SystemFile.status(path)
        guard status == nil || status?.st_size == 0, let promised = found.content?.extent, !promised.isEmpty
        else { return }
        // SQLite would make an empty journal, and remove a log that is still there.
        try lose(
            promised == .unreachable
                ? .interruptedRestore : .shortfall(promised: promised, found: JournalExtent()))
    }

    /// The path of the journal.
    private var path: String { folder + "/" + JournalSchema.fileName }

    /// Compares an opened journal with its promise; gives where the next writer goes on.
    ///
    /// - Parameter form: the form that the journal has.
    mutating func admit(
        _ connection: SQLiteConnection, form: Int64
    ) throws(JournalFailure) -> JournalPosition {
        let reader = try JournalReader(connection, path: path)
        let extent = try reader.extent()
        switch found {
        case .nothing: if form >= 2, !extent.isEmpty { try lose(.unpromised) }
        case .damaged: try lose(.damagedPromise)
        case .content(let content):
            let name = try reader.name()
            if content.isOfRestore {
                try lose(.interruptedRestore)
            } else if let name, name != content.name {
                try lose(.otherPromise(promised: content.name, found: name))
            } else if !extent.covers(content.extent) {
                try lose(.shortfall(promised: content.extent, found: extent))
            }
        }
        let position = try reader.position()
        let unkept = keepsFirst ? 0 : try reader.hasUnendedEpoch() ? Self.unkept : 0
        guard let damage = try reader.damageAtEnd() else { return skipping(position, unkept) }
        try lose(.damaged(damage))
        // The numbers of the row cannot be relied on; those that were promised for it can.
        guard let promised = found.content?.extent, promised.batch == extent.batch else {
            return skipping(position, unkept)
        }
        return JournalPosition(
            batch: extent.batch + 1, sequence: promised.sequence + 1, input: used + 1 + unkept,
            effect: position.effect)
    }

    /// A position that gives no number to an input that an input which was lost has had: effects are named by it.
    ///
    /// - Parameter unkept: how many may have been lost of which nothing was ever written.
    private func skipping(_ position: JournalPosition, _ unkept: UInt64) -> JournalPosition {
        JournalPosition(
            batch: position.batch, sequence: position.sequence,
            input: max(position.input, used + 1) + unkept, effect: position.effect)
    }

    /// The greatest number that an input was given, as far as the promise tells.
    var used: UInt64 { found.content?.used ?? 0 }

    /// The greatest number of an opening that was taken back, by restores or because it is lost, as far as the promise tells.
    func undoneEpoch(after extent: JournalExtent) -> Int64 {
        epoch > extent.epoch ? epoch : found.content?.undoneEpoch ?? 0
    }

    /// The greatest number of an opening, as far as the promise tells.
    var epoch: Int64 { found.content?.lastEpoch ?? 0 }

    /// A failure to open the journal, with what was promised where the file itself cannot tell how far it goes.
    func explaining(_ failure: JournalFailure) -> JournalFailure {
        guard let promised = found.content?.extent, !promised.isEmpty, promised != .unreachable else {
            return failure
        }
        switch failure.reason {
        case .foreign, .strange: break
        case .database(let error) where error.isDamage || error.isForeignSchema: break
        default: return failure
        }
        return JournalFailure(path, failure.step, .broken(failure.cause, promised: promised))
    }

    /// Refuses the journal, or takes note of what is lost.
    private mutating func lose(_ reason: JournalFailure.Reason) throws(JournalFailure) {
        let failure = JournalFailure(path, .opening, reason)
        guard acceptsLoss else { throw failure }
        diagnostics.append(
            Diagnostic(.warning, "\(path): \(failure.cause); the host continues with what is there"))
    }
}
