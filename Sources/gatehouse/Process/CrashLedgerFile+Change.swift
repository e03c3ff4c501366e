// SPDX-License-Identifier: Apache-2.0

internal import GatehouseReload

extension CrashLedgerFile {
    /// Changes the ledger, and writes it if that made a difference; reports a bad file, what follows from the change, and when it cannot
    /// be written.
    ///
    /// - Parameters:
    ///   - tell: takes sentences.
    ///   - forgetsPlaces: whether the inputs may be others than those that the ledger names.
    ///   - change: returns the consequences, a sentence each.
    func change(
        _ tell: (String) -> Void, forgetsPlaces: Bool = false, _ change: (inout CrashLedger) -> [String]
    ) {
        var (known, warning) = read()
        if let warning { tell("warning: \(warning)") }
        if forgetsPlaces { known.forgetPlaces() }
        let before = known
        let consequences = change(&known)
        if known != before {
            do {
                try write(known)
            } catch {
                tell("warning: \(path): the crash record cannot be written: \(error)")
            }
        }
        for consequence in consequences { tell(consequence) }
    }
}
