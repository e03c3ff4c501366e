// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Synchronization

@testable import GatehouseLibrary
@testable import GatehousePlan
@testable import GatehouseReload
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// A host in this process whose configuration a test replaces. Every library counts as rehearsed, because children are the program's.
///
/// `@unchecked Sendable`: a test makes one call after the other.
final class ReloadedHost: @unchecked Sendable {
    /// The host.
    let host: Host
    /// Reloads it.
    let procedure: ReloadProcedure
    /// The folder of the libraries, in which everything else is too.
    private let folder: TemporaryFolder
    /// What `read` reads.
    private let text: Text
    /// The images of all generations.
    private let images: ImageCache

    /// The configuration as it is now, read on any thread.
    private final class Text: Sendable {
        let now: Mutex<String>
        init(_ text: String) { now = Mutex(text) }
    }

    /// Starts the instances of a configuration; `<folder>` stands for the path of the folder.
    ///
    /// - Parameter grace: how long removed instances may take to finish.
    init(_ configuration: String, libraries: [String], grace: Duration = .seconds(10)) throws {
        folder = try TemporaryFolder()
        for library in libraries { try folder.copyLibrary(library) }
        let path = folder.path
        images = ImageCache(folder: folder("cache"))
        let text = Text(configuration)
        self.text = text
        let plan = Self.plan(configuration, in: path)
        let assembler = Assembler(
            cache: images,
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { _ in }))
        let assembly = try assembler.assemble(plan)
        host = Host(assembly, reports: Reporter { _ in }) { _ in }
        guard
            let procedure = ReloadProcedure(
                host, in: nil, running: plan, grace: grace, history: nil,
                shadows: Shadows(nil, recorded: { 0 }, tell: { _ in }),
                read: { _ in Self.plan(text.now.withLock { $0 }, in: path) })
        else { throw Diagnostics(error: "a host of libraries has no assembler") }
        self.procedure = procedure
    }

    /// The plan of a configuration.
    private static func plan(_ configuration: String, in folder: String) -> HostPlan {
        Planner(trust: FileTrust(isStrict: false), baseDirectory: folder).plan(
            ConfigurationParser.parse(
                Array(configuration.replacing("<folder>", with: folder).utf8), file: "plugins.json"))
    }

    /// Writes another configuration, which the next reload reads.
    func write(_ configuration: String) {
        text.now.withLock { $0 = configuration }
        let acts = Dictionary(
            grouping: Self.plan(configuration, in: folder.path).instances.compactMap { planned in
                planned.image.map { (planned, $0.content, $0.note) }
            }, by: \.1.digest
        ).values.map { all in
            RehearsalAct(
                content: all[0].1, broughtAlong: all[0].0.library?.verdict.broughtAlong ?? all[0].1.digest,
                note: all[0].2, instances: all.map(\.0), states: [:])
        }
        RehearsalMemory(in: images.folder, trust: images.trust)?.remember(acts)
    }

    /// Reloads with another configuration; blocks.
    func reload(_ configuration: String) -> ReloadOutcome {
        write(configuration)
        return procedure.perform(expecting: nil)
    }

    /// Dispatches an action and waits for its immediate consequences.
    func dispatch(_ action: AnyAction) {
        host.dispatch(action, from: ActionSource(file: "test", function: "", line: 0, info: nil))
        host.settle()
    }

    /// The ids of the instances, in chain order.
    var ids: [String] { host.turn { $0.instances.map(\.id) } }

    /// The whole state.
    var state: Value { get throws { try host.snapshot() } }

    /// A path in the folder.
    func path(_ name: String) -> String { folder(name) }
}
