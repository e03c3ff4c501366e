// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSDK
private import Synchronization

/// Collects the activity of a case's host until it is taken; callable from any thread.
final class CaseRecord: Sendable {
    /// The state guarded by the lock.
    private struct State {
        /// Emitted actions that no step has expected yet.
        var emitted: [EmittedAction] = []
        /// Actions of the input that passed all interceptors, in the form in which they passed.
        var passed: [EmittedAction] = []
        /// Reports, except log lines of plugins.
        var reports: [HostReport] = []
        /// Log lines of plugins.
        var log: [HostReport] = []
    }

    /// The records, in order of arrival.
    private let state = Mutex(State())
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
        state.withLock { state in
            if isInput { state.passed.append(emitted) } else { state.emitted.append(emitted) }
        }
    }

    /// Records a report.
    func take(_ report: HostReport) {
        state.withLock { state in
            if case .log = report {
                state.log.append(report)
            } else {
                state.reports.append(report)
            }
        }
    }

    /// Takes the actions emitted since the last call.
    func takeEmitted() -> [EmittedAction] {
        state.withLock { state in
            defer { state.emitted = [] }
            return state.emitted
        }
    }

    /// Takes the input that has passed since the last call.
    func takePassed() -> [EmittedAction] {
        state.withLock { state in
            defer { state.passed = [] }
            return state.passed
        }
    }

    /// Takes the reports since the last call.
    func takeReports() -> [HostReport] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// Takes the log lines since the last call.
    func takeLog() -> [HostReport] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }
}
