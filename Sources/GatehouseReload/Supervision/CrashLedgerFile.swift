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
    /// Writes the file.
    private let disk: DiskCalls

    /// The maximum size in bytes: 16 MiB.
    private static let limit = 16 << 20

    /// Locates the file of the host whose configuration is in a folder.
    package init(beside folder: String) {
        self.init(path: DataFolder.path(beside: folder) + "/host/crashes.json")
    }

    /// Uses the file at a path, which a disk has.
    package init(path: String, on disk: DiskCalls = .system) { (self.path, self.disk) = (path, disk) }

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

    /// Changes the ledger, and writes it if that made a difference; reports a bad file, what follows from the change, and when it cannot
    /// be written.
    ///
    /// - Parameters:
    ///   - tell: takes sentences.
    ///   - forgetsPlaces: whether the inputs may be others than those that the ledger names.
    ///   - change: returns the consequences, a sentence each.
    package func change(
        _ tell: (String) -> Void, forgetsPlaces: Bool = false, _ change: (inout CrashLedger) -> [String]
    ) {
        var (known, warning) = read()
        if let warning { tell("warning: \(warning)") }
        if forgetsPlaces { known.forgetPlaces() }
        let before = known
        let consequences = change(&known)
        if known != before {
            do throws(SystemFailure) {
                try write(known)
            } catch {
                tell("warning: \(path): the crash record cannot be written: \(error)")
            }
        }
        for consequence in consequences { tell(consequence) }
    }

    /// Writes the ledger; at any moment the file has the old content or the new one.
    ///
    /// - Throws: the call that failed.
    package func write(_ ledger: CrashLedger) throws(SystemFailure) {
        let folder = SystemFile.parts(of: path).folder
        for path in [SystemFile.parts(of: folder).folder, folder] { try SystemFile.makeFolder(path) }
        // Only a number that is not finite has no form in JSON, and times are.
        let text = (try? Value(encoding: ledger))?.json() ?? ""
        try SystemFile.replace(path, with: Array((text + "\n").utf8), isLasting: true, by: disk)
    }
}
