// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehousePlan
package import GatehouseSDK
package import GatehouseSupport

/// What the host has to offer to instances, before any is granted.
package struct HostDependencies {
    /// Time, and how the work of effects is run, for each instance by its id.
    private let effects: @Sendable (String) -> EffectTerms
    /// The folder under which each instance that asks for `data` gets one of its own; nil for none.
    package let dataDirectory: String?
    /// Takes the lines that plugins write.
    package let report: @Sendable (HostReport) -> Void

    /// The state as instances see it.
    package let window = StateWindow()
    /// What instances bring as inputs.
    package let posted = PostedActions()
    /// Where instances find who does for them what operators can do.
    package let control = GrantedControl()
    /// The actions that came to nothing.
    package let letters: DeadLetters
    /// The sockets at which instances listen.
    package let listeners: RunListeners
    /// What instances borrow from in place of these; nil for nothing.
    private let lender: HostListeners?
    /// Makes the connections of instances.
    private let network: HostNetwork
    /// What limits the workers of instances.
    package let limits: WorkerLimits
    /// The pauses of instances, which can be ended; nil where they are those of their clocks alone.
    package private(set) var pauses: EffectPauses?
    /// What instances call what they start.
    package let effectKeys = EffectKeys()
    /// What instances of one plugin share.
    package let shared = SharedDecoding()
    /// The action in hand, as instances refer to it.
    package let pass: Pass

    /// Dependencies of one's own.
    ///
    /// - Parameters:
    ///   - timesAll: whether each action is timed, and not only a few of them.
    ///   - flightRecorder: where others find what runs.
    ///   - listeners: the sockets at which instances listen; nil for those of nobody else.
    ///   - limits: what limits workers.
    ///   - pauses: knows the pauses of instances, and ends them; nil where nobody asks for that.
    package init(
        clock: HostClock, dataDirectory: String?, timesAll: Bool = false,
        flightRecorder: FlightRecorder = FlightRecorder(),
        listeners: RunListeners? = nil, limits: WorkerLimits = .trial, pauses: EffectPauses? = nil,
        report: @escaping @Sendable (HostReport) -> Void
    ) {
        self.init(
            effects: { EffectTerms(clock: pauses?.clock(of: $0, like: clock) ?? clock) },
            dataDirectory: dataDirectory, timesAll: timesAll,
            progress: RunProgress(in: flightRecorder), listeners: listeners ?? RunListeners(), limits: limits,
            report: report)
        self.pauses = pauses
    }

    /// Dependencies with a clock of its own for each instance, by its id.
    ///
    /// - Parameters:
    ///   - progress: where others find what runs.
    ///   - lender: lends instances the sockets at which they listen, where the host does not; nil for the host.
    ///   - network: makes the connections of instances.
    ///   - limits: what limits workers.
    ///   - letters: where the actions go that come to nothing; several stores may share them.
    package init(
        effects: @escaping @Sendable (String) -> EffectTerms, dataDirectory: String?, timesAll: Bool = false,
        progress: RunProgress = RunProgress(), letters: DeadLetters = DeadLetters(),
        listeners: RunListeners = RunListeners(), lender: HostListeners? = nil,
        network: HostNetwork = HostNetwork(), limits: WorkerLimits = .trial,
        report: @escaping @Sendable (HostReport) -> Void
    ) {
        self.letters = letters
        self.lender = lender
        self.network = network
        self.limits = limits
        self.listeners = listeners
        pass = Pass(timesAll: timesAll, progress: progress)
        self.effects = effects
        self.dataDirectory = dataDirectory
        self.report = report
    }

    /// How the work of an instance's effects is run.
    package func execution(of instance: String) -> EffectExecution { effects(instance).execution }

    /// What one instance is given: what the configuration lists, and when it lists nothing, all that only lets it look.
    package func services(for entry: InstanceConfiguration, through outlet: InstanceOutput) -> HostServices {
        let instance = entry.id
        let granted = entry.lift.dependencies
        let isGranted = { (name: String) in granted?.contains(name) ?? true }
        let isListed = { (name: String) in granted?.contains(name) ?? false }
        let report = report
        let letters = letters
        let window = window
        let objection = { @Sendable in
            outlet.letsPass ? nil : "the gate of the instance \(instance) is closed"
        }
        return HostServices(
            instance: instance,
            log: PluginLog { level, line in report(.log(level, instance: instance, line: line)) },
            clock: isGranted("clock") ? effects(instance).clock : nil,
            dataDirectory: isGranted("data") ? dataDirectory.map { $0 + "/" + instance } : nil,
            state: isGranted("state") ? HostStateReader { window.value(at: $0) } : nil,
            ingress: isListed("ingress") ? ingress(for: instance, outlet, objection) : nil,
            control: isListed("control") ? control.control(for: instance, objection: objection) : nil,
            status: PluginStatus { notice in
                switch notice {
                case .health(let health): report(.health(health, instance: instance))
                case .failed(let action, let payload, let reason):
                    letters.add(
                        .failed, outlet.heard(as: action), payload, named: action, of: instance,
                        reason: reason)
                    report(.failed(action: action, instance: instance, reason: reason))
                case .refused(let name, let reason):
                    report(.refusedNumber(instance: instance, name: name, reason: reason))
                }
            }
        ).hosted(
            longWork: LongWork { [flightRecorder = pass.progress.flightRecorder] in
                flightRecorder.beginLongWork($0)
            },
            listeners: lender ?? listeners.listeners(for: instance), network: network,
            effectKey: { [effectKeys] in effectKeys.key(for: instance) },
            attempt: { [effectKeys] in effectKeys.attempt })
    }

    /// The input that an instance is.
    private func ingress(
        for instance: String, _ outlet: InstanceOutput, _ objection: @escaping @Sendable () -> String?
    ) -> HostIngress {
        let source = ActionSource(file: "ingress", function: "", line: 0, info: instance)
        // Asked each time, because an instance may serve on with other permissions.
        let mayBring = { @Sendable (type: String) in outlet.mayBring(type) }
        return HostIngress {
            [posted] delivery async throws(HostIngress.Failure) in
            if case .action(let action) = delivery, ReservedNames.isForHost(action.type.name),
                !mayBring(action.type.name)
            {
                throw .refused(
                    "\(action.type.name) belongs to the host; let the instance \(instance) send it by \"allow\""
                )
            }
            return try await posted.post(delivery, from: source, mayBring: mayBring, objection: objection)
        }
    }
}

/// In what time the effects of one instance live, and how their work is run.
package struct EffectTerms: Sendable {
    /// What the instance is granted as its clock.
    package let clock: HostClock
    /// How the work is run.
    package var execution = EffectExecution.tasks

    /// Terms for the effects of instances.
    package init(clock: HostClock, execution: EffectExecution = EffectExecution.tasks) {
        self.clock = clock
        self.execution = execution
    }
}
