import GatehouseSDK
public struct JournalConfiguration: Sendable, Equatable { var mode = JournalMode.strict; var snapshotEvery = 100_000; var directory = "journal" }
extension JournalWriter { func ids() throws(JournalFailure) -> JournalIDs { JournalIDs(window: 600, clock: JournalWriter.now) }; var name: String { "x" }; func write(_ s: JournalSnapshot) {} }
extension JournalPosition { var effect: UInt64 { 1 } }
extension JournalWriter.Options { init(_ c: JournalConfiguration) { self.init(); mode = c.mode } }




extension JournalReader { func snapshots() throws(JournalFailure) -> (good: [StoredSnapshot], damaged: [SnapshotDamage]) { ([], []) }; func runningEffects() throws(JournalFailure) -> [JournalEffect] { [] } }

import Glibc
extension HostConfiguration { public var journal: JournalConfiguration? { unsafe getenv("GJ").map { JournalConfiguration(mode: unsafe String(cString: $0) == "relaxed" ? .relaxed : .strict) } }
  public func journalFolder(from base: String) -> String? { base + "/journal" } }
