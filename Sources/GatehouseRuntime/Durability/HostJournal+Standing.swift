// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

extension HostJournal {
    /// Has a warning sent before missed actions of quarantined instances go; in each generation's drain.
    package func hold(for generation: Generation) {
        let standing = generation.instances.compactMap { instance in
            instance.standing.map { (id: instance.id, at: $0.value.at) }
        }
        guard let first = standing.map(\.at).min() else { return writer.hold(from: nil) }
        writer.hold(from: first + 1) { [onDiagnostic] last in
            onDiagnostic(Self.removal(of: last, missedBy: standing.filter { $0.at < last }.map(\.id)))
        }
    }

    /// Returns the warning before the removal of actions that quarantined instances may have missed.
    static func removal(of last: UInt64, missedBy ids: [String]) -> Diagnostic {
        Diagnostic(
            .warning,
            "the journal is about to remove actions up to \(last.grouped), as its limits say; those that \(ids.joined(separator: ", ")) missed in quarantine are then lost: let \(ids.count == 1 ? "it" : "them") catch up with gatehouse ctl release --catch-up, or raise \"keep\""
        )
    }
}
