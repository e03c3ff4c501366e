// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSupport

/// A part of `gatehouse run` with a beginning that may fail and an end.
protocol RunComponent: Component where Code == ExitCode {}

/// The composition root of `gatehouse run`: what a host consists of, in the order in which it may fail.
///
/// From top to bottom it shows how a host begins, and from bottom to top how it ends. A feature with a beginning and an end is one
/// more line. Values that only a beginning needs, such as what a journal has left, are gone when the host runs.
struct Composition {
    /// The command line, and the process.
    let context: RunContext

    /// Prepares the components, each of which gets those it needs; returns the run.
    func prepare(_ parts: inout Lifecycle<ExitCode>) throws(Ended) -> Run {
        let configuration = try RunConfiguration(context.options)
        let predecessor = context.predecessor
        let crashes = parts.add(
            CrashLog(link: context.link, of: configuration, isSuccessor: predecessor != nil))
        Pulse(crashes, limit: context.options.watchdog, hang: configuration.hang).begin()
        let plan = configuration.plan()
        let control = parts.add(try RunControl(configuration.place, isSuccessor: predecessor != nil))
        let journal = try RunJournal(of: plan, configuration, crashes, context)
        let generation = try GenerationMaker(
            context: context, configuration: configuration, crashes: crashes, journal: journal,
            images: ImageCache(folder: CacheFolder.current, trust: configuration.trust)
        ).generation(of: plan)
        // Before any plugin is started, because what they open may belong to another host.
        let inputs = parts.add(try RunInputs(generation, configuration, context))
        if predecessor != nil { try control.open(context.handed) }
        // Whatever may be refused was refused by now.
        let handed = try predecessor?.takeOver() ?? []
        try journal?.open(keeping: generation.plan)
        let member = try generation.member.map { made throws(Ended) in
            try ClusterMember(joining: made, generation.plan.configuration, context.service)
        }
        let traces = parts.add(RunTraces(of: configuration.place.name, context))
        let host = parts.add(StartedHost(generation, configuration, crashes, journal, traces, context))
        host.host.handed = handed
        let reloading = parts.add(
            Reloading(of: host.host, generation, configuration, crashes, traces, context))
        let upgrade = parts.add(
            Upgrade(
                of: host.host, reloading, inputs, control, crashes, member: member?.host, context))
        parts.add(
            ControlAnswers(
                control: control, host: host.host, reloading: reloading, upgrade: upgrade,
                member: member?.host, crashes: crashes))
        if let service = context.service {
            parts.add(ManagedService(service, of: host.host, generation, context.process.stop))
        }
        if let member { parts.add(member) }
        if let predecessor {
            parts.add(
                Takeover(
                    predecessor: predecessor, host: host.host, crashes: crashes, stop: context.process.stop))
        }
        return Run(
            context: context, host: host.host, inputs: inputs, control: control, member: member?.host,
            traces: traces)
    }
}
