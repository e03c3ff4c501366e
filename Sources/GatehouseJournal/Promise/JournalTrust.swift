// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
package import GatehouseSupport

/// Looks at who could have changed a journal: the same rules hold as for a library, because a host does again what it says.
package enum JournalTrust {
    /// Judges the files of the journal in a folder that are there, with all that leads to them.
    ///
    /// - Returns: what gives reason to warn.
    /// - Throws: that one belongs to somebody else, or that others may write to it.
    @discardableResult
    package static func judge(folder: String) throws(JournalFailure) -> [Diagnostic] {
        let journal = folder + "/" + JournalSchema.fileName
        var warnings: [String] = []
        for path in [journal, journal + "-wal", journal + "-shm", folder + "/" + JournalPromise.fileName]
        where SystemFile.status(path) != nil {
            do throws(LibraryFileError) {
                warnings += try FileTrust(isStrict: false).judge(path).warnings.filter {
                    !warnings.contains($0)
                }
            } catch .missing {
                // The host before, or SQLite, has removed it meanwhile.
                continue
            } catch {
                throw JournalFailure(journal, .opening, .distrusted(error))
            }
        }
        return warnings.map { Diagnostic(.warning, $0) }
    }
}
