// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
package import GatehouseSupport
private import Glibc

/// The file of a crash ledger, among the data of the host.
///
/// It belongs to the supervisor while the host is dead, and to the host while it lives.
package struct CrashLedgerFile: Sendable {
    /// The path of the file.
    package let path: String

    /// The maximum size in bytes: 16 MiB.
    private static let limit = 16 << 20

    /// Locates the file of the host whose configuration is in a folder.
    package init(beside folder: String) { path = DataFolder.path(beside: folder) + "/host/crashes.json" }

    /// Uses the file at a path.
    package init(path: String) { self.path = path }

    /// Reads the ledger, and returns a warning about a bad file; an unreadable one is renamed, with `.damaged` appended.
    package func read() -> (ledger: CrashLedger, warning: String?) {
        let bytes: [UInt8]
        do throws(SystemFile.ReadingError) {
            bytes = try SystemFile.bytes(of: path, limit: Self.limit)
        } catch .system(code: ENOENT) {
            return (CrashLedger(), nil)
        } catch {
            return (CrashLedger(), "\(path): the crash record cannot be read: \(error)")
        }
        if let ledger = try? JSONText.parse(bytes).decode(CrashLedger.self) { return (ledger, nil) }
        let aside = path + ".damaged"
        _ = unsafe rename(path, aside)
        return (
            CrashLedger(),
            "\(path): this is not a crash record of a host; it is kept as \(aside), and nothing is in quarantine"
        )
    }

    /// Writes the ledger; at any moment the file has the old content or the new one.
    ///
    /// - Throws: the call that failed.
    package func write(_ ledger: CrashLedger) throws(SystemFailure) {
        let folder = SystemFile.parts(of: path).folder
        for path in [SystemFile.parts(of: folder).folder, folder] { try SystemFile.makeFolder(path) }
        // Only a number that is not finite has no form in JSON, and times are.
        let text = (try? Value(encoding: ledger))?.json() ?? ""
        try SystemFile.replace(path, with: Array((text + "\n").utf8), isLasting: true)
    }
}
