// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSQLite
internal import GatehouseSupport

/// Opens a journal for writing: nothing is written before it is known that everything is there which was promised.
struct JournalOpening {
    /// Writes to the file.
    let committer: JournalCommitter
    /// Where the journal ended.
    let start: JournalPosition
    /// Notes what is promised from here on.
    let safety: JournalSafety
    /// What an operator should know.
    let diagnostics: [Diagnostic]

    /// Opens the journal in a folder that is there and locked.
    init(folder: String, _ options: JournalWriter.Options) throws(JournalFailure) {
        let path = folder + "/" + JournalSchema.fileName
        let isStrict = options.mode == .strict
        let warnings = try JournalTrust.judge(folder: folder)
        var admission = try JournalAdmission(
            folder: folder, acceptsLoss: options.acceptsLoss, keepsFirst: isStrict)
        var admitted: (position: JournalPosition, name: String, promise: JournalPromise)?
        let connection: SQLiteConnection
        do throws(JournalFailure) {
            connection = try JournalSchema.openForWriting(path, isStrict: isStrict, system: options.system) {
                connection, form throws(JournalFailure) in
                let position = try admission.admit(connection, form: form).beginning(at: options.firstAction)
                let reader = try JournalReader(connection, path: path)
                let name = try reader.name() ?? options.newName()
                // What a host in relaxed mode has left need not be on the disk, and what one has left whose disk failed.
                try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in
                    try connection.rewriteLog()
                }
                let extent = try reader.extent()
                let promise = try JournalPromise(
                    folder: folder,
                    JournalPromise.Content(
                        name: name, extent: extent,
                        used: max(admission.used, position.input - 1),
                        undoneEpoch: admission.undoneEpoch(after: extent)),
                    on: options.disk)
                admitted = (position, name, promise)
            }
        } catch {
            throw admission.explaining(error)
        }
        guard let (position, name, promise) = admitted else {
            throw JournalFailure(path, .opening, .unpromised)
        }
        start = position
        committer = try JournalCommitter(
            connection, path: path, options, from: position, name: name, after: admission.epoch)
        try Self.sync(connection, path)
        try promise.raise(to: committer.extent)
        safety = try JournalSafety(folder: folder, promise, isStrict: isStrict)
        diagnostics = warnings + admission.diagnostics
    }

    /// Sees to it that everything is on the disk.
    private static func sync(_ connection: SQLiteConnection, _ path: String) throws(JournalFailure) {
        try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in try connection.syncLog() }
    }
}
