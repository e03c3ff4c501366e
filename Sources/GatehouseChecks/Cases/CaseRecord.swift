// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
private import Synchronization

/// Collects the activity of a case's host until it is taken; callable from any thread.
final class CaseRecord: Sendable {
    /// What has happened, in order of arrival.
    struct Activity {
        /// Emitted actions that no step has expected yet.
        var emitted: [EmittedAction] = []
        /// Actions of the input that passed all interceptors, in the form in which they passed.
        var passed: [EmittedAction] = []
        /// Reports, except lines that plugins have written.
        var reports: [HostReport] = []
        /// Lines that plugins have written, to their log or, in workers, to standard output or error.
        var log: [HostReport] = []
    }

    /// The records, guarded by the lock.
    private let activity = Mutex(Activity())
    /// The source of any line of input.
    private let input: ActionSource

    /// Creates an empty record.
    init(input: ActionSource) { self.input = input }

    /// Records an action that passes the host.
    func take(_ dispatched: DispatchedAction<AnyAction>) {
        let action = dispatched.action
        let source = dispatched.dispatcher
        let emitted = EmittedAction(
            type: action.type.name, payload: action.payload, isError: action.isError, meta: action.meta,
            emitter: source.info?.split(separator: "\n").last.map(String.init) ?? source.file)
        let isInput = source.hasSameOrigin(as: input)
        activity.withLock { activity in
            if isInput { activity.passed.append(emitted) } else { activity.emitted.append(emitted) }
        }
    }

    /// Records a report.
    func take(_ report: HostReport) {
        activity.withLock { activity in
            switch report {
            case .log, .workerOutput: activity.log.append(report)
            default: activity.reports.append(report)
            }
        }
    }

    /// Takes what has come to a list since the last call.
    func takeAll<Element: Sendable>(_ list: WritableKeyPath<Activity, [Element]>) -> [Element] {
        activity.withLock { activity in
            defer { activity[keyPath: list] = [] }
            return activity[keyPath: list]
        }
    }
}
