// SPDX-License-Identifier: Apache-2.0

internal import GatehouseMember
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// The reloads of a run: when its files change, by a signal, by actions, and for its cluster.
struct Reloading: RunComponent {
    /// Does the reloads.
    let reloader: Reloader
    /// The shadows of the instances.
    let shadows: Shadows
    /// The plan of the first generation.
    private let first: HostPlan
    /// Where a child finds the past; nil for a host without a journal.
    let history: HistorySource?
    /// The host whose generations follow each other.
    private let host: Host
    /// Owns the partitions; nil outside a cluster.
    private let member: ClusterHost?
    /// The files to follow.
    private let configuration: RunConfiguration
    /// Holds the libraries in quarantine.
    private let crashes: CrashLog
    /// Takes signals.
    private let process: RunProcess

    /// Prepares reloads that `start` lets begin.
    init(
        of host: Host, _ generation: FirstGeneration, _ configuration: RunConfiguration, _ crashes: CrashLog,
        _ traces: RunTraces, _ context: RunContext
    ) {
        let (plan, member) = (generation.plan, generation.member)
        history = configuration.history(of: plan.configuration)
        shadows = Shadows(
            history, recorded: { [journal = host.journal] in journal?.status.recorded ?? 0 },
            tell: { StandardError.tell($0) })
        first = (member == nil ? plan.running(host.instanceIDs) : plan).withoutFiles
        let procedure = ReloadProcedure(
            host, in: member, running: first,
            grace: context.options.grace, history: history, shadows: shadows
        ) { released in configuration.planAgain().quarantining(crashes.known(without: released)) }
        guard let procedure else { preconditionFailure("a run loads its plugins from libraries") }
        procedure.onConfiguration = { [store = host.store] configuration in
            StandardError.follow(configuration.log)
            traces.follow(configuration.traces, in: store)
        }
        if let refused = generation.refused {
            procedure.noteRefusedStart(refused.diagnostics, refused.sentence)
        }
        reloader = Reloader(procedure, release: { crashes.release($0) }) { [service = context.service] in
            Self.report($0, to: service)
        }
        self.host = host
        self.member = member
        self.configuration = configuration
        self.crashes = crashes
        process = context.process
    }

    func start() {
        shadows.follow(first)
        process.follow(host, with: reloader, watching: configuration.known.map { (configuration.file, $0) })
        member?.onReload { [reloader] trigger in EventLoop.perform { reloader.reload(trigger) } }
        host.onRelease { [reloader, crashes] digest in
            EventLoop.perform {
                crashes.release(digest)
                reloader.reload(.action)
            }
        }
        host.onQuarantine { [reloader, crashes] digest, plugin, reason in
            EventLoop.perform {
                crashes.quarantine(digest, of: plugin, because: reason)
                reloader.reload(.worker)
            }
        }
    }

    func stop(_ code: ExitCode) -> ExitCode {
        shadows.end()
        return code
    }

    /// Reports a reload as `check` would, and informs the service manager, if there is one.
    private static func report(_ event: Reloader.Event, to service: NotifySocket?) {
        switch event {
        case .begun: service?.tell(.reloading)
        case .idle: service?.tell(.ready)
        case .ended(let outcome):
            service?.tell(.ready, .status("\(outcome)"))
            outcome.diagnostics.write()
            StandardError.tell("\(outcome)", outcome.diagnostics.isFailure ? .error : .info)
        }
    }
}
