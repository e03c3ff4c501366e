// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Synchronization

/// What comes out of the host of a case, until somebody takes it; callable from any thread.
final class CaseRecord: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// The actions that instances have emitted and no step has expected yet.
        var emitted: [EmittedAction] = []
        /// The actions of the input that passed all interceptors, in the form in which they did.
        var passed: [EmittedAction] = []
        /// What was reported, but for the lines of plugins.
        var reports: [HostReport] = []
        /// The lines of plugins.
        var log: [HostReport] = []
    }

    /// In the order in which it came.
    private let state = Mutex(State())
    /// Any line of what is sent.
    private let input: ActionSource

    /// A record in which nothing has happened yet.
    init(input: ActionSource) { self.input = input }

    /// Keeps an action that passes the host.
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

    /// Keeps what is reported.
    func take(_ report: HostReport) {
        state.withLock { state in
            if case .log = report {
                state.log.append(report)
            } else {
                state.reports.append(report)
            }
        }
    }

    /// What instances have emitted since the last time.
    func takeEmitted() -> [EmittedAction] {
        state.withLock { state in
            defer { state.emitted = [] }
            return state.emitted
        }
    }

    /// What of the input has passed since the last time.
    func takePassed() -> [EmittedAction] {
        state.withLock { state in
            defer { state.passed = [] }
            return state.passed
        }
    }

    /// What was reported since the last time.
    func takeReports() -> [HostReport] {
        state.withLock { state in
            defer { state.reports = [] }
            return state.reports
        }
    }

    /// What instances have written since the last time.
    func takeLog() -> [HostReport] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log
        }
    }
}
