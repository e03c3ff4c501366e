// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
package import GatehouseSupport

extension HostReport {
    /// The report as an entry of the host's log.
    package var entry: LogEntry {
        switch self {
        case .log(let level, let instance, let line):
            LogEntry(level, prefix: instance + ": ", Quotation.bare(line), instance: instance)
        case .workerOutput(let instance, let line):
            LogEntry(.info, prefix: instance + ": ", Quotation.bare(line), instance: instance)
        default: LogEntry(level, description, instance: instance)
        }
    }

    /// How important the report is.
    private var level: PluginLog.Level {
        switch self {
        case .log(let level, _, _): level
        case .heldInput, .workerOutput, .health(.ok, _), .cluster: .info
        case .lostInput, .cut, .failed, .health(.failing, _): .error
        case .more(_, let last): last.level
        case .rejectedLine, .unfinishedLine, .abandonedLine, .undecodable, .unwritable, .unusableState,
            .refusedOutput, .unreadableGate, .refusedInput, .setAside, .refusedHostAction, .control, .worker,
            .refusedNumber, .traces:
            .warning
        }
    }

    /// Whether it says that something went wrong with an action.
    var isFailure: Bool {
        if isBadData { return true }
        return switch self {
        case .refusedOutput, .failed, .log(.error, _, _): true
        default: false
        }
    }

    /// The instance that the report is about; nil for none.
    private var instance: String? {
        switch self {
        case .undecodable(_, _, _, let instance, _), .unwritable(let instance, _),
            .unusableState(_, _, let instance, _), .refusedOutput(let instance, _, _),
            .unreadableGate(let instance, _, _), .log(_, let instance, _), .health(_, let instance),
            .failed(_, let instance, _), .worker(let instance, _), .workerOutput(let instance, _),
            .refusedNumber(let instance, _, _):
            instance
        case .more(_, let last): last.instance
        case .rejectedLine, .unfinishedLine, .abandonedLine, .lostInput, .refusedInput, .setAside,
            .refusedHostAction, .heldInput, .cut, .control, .cluster, .traces:
            nil
        }
    }
}
