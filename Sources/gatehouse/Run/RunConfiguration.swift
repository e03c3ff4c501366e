// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseReload
internal import GatehouseRuntime
internal import GatehouseSupport

/// The configuration with which a run begins, and the way to read it again.
struct RunConfiguration {
    /// The options that complete it.
    private let options: RunOptions
    /// The file, or the folder of plugins, that it is read from.
    let file: ConfigurationFile
    /// The files as they were before it was read; nil when their changes are not followed.
    let known: FileStamps?
    /// The configuration, or what is wrong with it.
    private let outcome: ConfigurationOutcome
    /// Who may own and write the files.
    let trust: FileTrust
    /// Judges libraries.
    private let planner: Planner
    /// The name of the host, and where it can be controlled.
    let place: ControlPlace
    /// The consequences of crashes.
    let supervise: SuperviseConfiguration
    /// Whether the run lasts until it is ended.
    let isService: Bool

    /// Reads the configuration, or reports why it cannot be read.
    init(_ options: RunOptions) throws(Ended) {
        self.options = options
        let file = options.file
        self.file = file
        // Where the configuration cannot be read, that of the last good generation, which a service may run instead.
        let expected = { (outcome: ConfigurationOutcome) in
            outcome.readable
                ?? (options.leniency.fallsBack
                    ? JournalPointer.last(beside: file.folder)?.configuration : nil)
        }
        let first = try file.read()
        let before = expected(first)
        if options.watches || options.isService(before) {
            // Changes during the look are noticed later.
            known = FileStamps(
                of: file.isFolder ? nil : file.path,
                folder: (before ?? HostConfiguration()).folder(from: file.folder))
            outcome = file.readAgain()
        } else {
            (known, outcome) = (nil, first)
        }
        trust = FileTrust(isStrict: options.isStrict)
        planner = Planner(trust: trust, baseDirectory: file.folder)
        place = ControlPlace(options: options, file: file, configuration: outcome)
        let running = expected(outcome)
        if let running { StandardError.follow(running.log) }
        supervise = running?.supervise ?? HostConfiguration().supervise
        isService = options.isService(running)
    }

    /// The ids of instances that must run.
    var requiredIDs: Set<String> { outcome.requiredIDs }

    /// How long a supervisor waits for a sign of life; zero for ever.
    var hang: Duration { .seconds(supervise.hang) }

    /// Judges the libraries of the configuration that was read at the start.
    func plan() -> HostPlan { planner.plan(options.adapt(outcome)) }

    /// Reads the configuration again, and judges its libraries; callable from any thread.
    func planAgain() -> HostPlan { planner.plan(options.adapt(file.readAgain())) }

    /// Where a child finds the past of a host that runs a configuration; nil for a host without a journal.
    func history(of configuration: HostConfiguration) -> HistorySource? {
        configuration.journalFolder(from: file.folder).map {
            HistorySource(
                path: file.path, isFolder: file.isFolder, base: file.folder, journal: $0,
                isStrict: options.isStrict)
        }
    }
}
