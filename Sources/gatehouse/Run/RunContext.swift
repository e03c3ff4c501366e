// SPDX-License-Identifier: Apache-2.0

internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// The command line of a run, and what the process has from its parent and its service manager.
struct RunContext {
    /// The parsed command line.
    let options: RunOptions
    /// The sockets that were handed over.
    let handed: HandedSockets
    /// The supervisor's file for the flight recorder; nil without a supervisor.
    let link: Int32?
    /// Counts problems.
    let reports: Reporter
    /// The process around the run, with its output and signals.
    let process: RunProcess
    /// The service manager; nil without one.
    let service: NotifySocket?
    /// The sockets at which instances listen.
    let listeners: RunListeners
    /// What limits workers.
    let limits: WorkerLimits
    /// The host that this process goes on for; nil for one that begins by itself.
    let predecessor: Predecessor?

    /// Takes what the process was given; called once, on the main thread before any other thread exists.
    ///
    /// - Throws: when it cannot go on for the host before, after reporting it.
    init(options: RunOptions) throws(Ended) {
        self.options = options
        limits = WorkerLimits.claim()
        handed = HandedSockets.take()
        link = SupervisorLink.take()
        predecessor = try Predecessor()
        reports = Reporter { report in
            let span = CurrentTrace.context
            StandardError.write(
                span.map { report.entry.within(trace: "\($0.trace)", span: $0.spanID) } ?? report.entry)
        }
        process = RunProcess(reports: reports)
        service = NotifySocket { StandardError.warn($0) }
        listeners = RunListeners(handed, keeper: service)
    }

    /// Prints an action in its wire form, or reports why it cannot be encoded; nil where actions are not printed.
    var onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? {
        guard options.print == .actions else { return nil }
        return { [output = process.output] dispatched in
            let action = dispatched.action
            do {
                try output.writeLine { bytes throws(CodingFailure) in try action.writeWireForm(to: &bytes) }
            } catch {
                StandardError.tell("\(action.type) cannot be printed: \(error)", .warning)
            }
        }
    }
}
