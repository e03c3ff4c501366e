// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// Runs a chain through a host, from the text of its plugins.json.
struct LawHost {
    /// Runs the inputs of a chain, and returns everything that happened.
    static func run(_ chain: LawChain) throws -> [String] {
        let log = LawLog()
        try LawLog.$current.withValue(log) { try run(chain, log) }
        return log.entries
    }

    private static func run(_ chain: LawChain, _ log: LawLog) throws {
        let reporter = Reporter { report in
            if case .cut(let cut) = report {
                log.note("cut \(cut.type): \(cut.limit) \(cut.number), \(cut.dropped) dropped")
            } else if !"\(report)".contains(": gate ") {
                // The plugin logs its gate itself; everything else is a difference.
                log.note("\(report)")
            }
        }
        let outcome = try ConfigurationParser.parse(Array(chain.configuration().utf8), file: "plugins.json")
        let configuration = try #require(outcome.configuration, "\(outcome.diagnostics)")
        let manifest = PluginManifest(
            id: "law", version: try #require(SemanticVersion("1.0.0")), summary: "", principal: "LawPlugin",
            consumes: LawChain.locals, emits: LawChain.locals, permissions: ["intercept"])
        let plain = PluginEntry.exports(of: LawPlugin.self)
        let intercepting = PluginEntry.exports(of: InterceptingLawPlugin.self)
        let assembly = try Assembly(
            linking: zip(configuration.instances, chain.members).map { entry, member in
                LinkedPlugin(
                    entry: entry, manifest: manifest, exports: member.intercepts ? intercepting : plain)
            },
            configuration: configuration,
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock(), unixTime: { 0 }), dataDirectory: nil,
                report: { reporter.send($0) }))
        let host = Host(assembly, reports: reporter) { dispatched in
            let action = dispatched.action
            log.note("action \(action.type.name) \(action.payload?.json() ?? "without payload")")
        }
        let ids = chain.members.map(\.settings.id)
        let observer = host.store.observe(.always) { state in log.note("observes \(slices(state, ids))") }
        for word in chain.inputs {
            host.dispatch(
                AnyAction(ActionType(word.name), payload: .integer(Int64(word.number))), from: .here())
        }
        host.store.read { log.note("ends with \(slices($0, ids))") }
        withExtendedLifetime(observer) {}
    }

    /// The slices of some instances in a state, in their order; a text that says why for a state that has not all of them.
    private static func slices(_ state: Result<Value, CodingFailure>, _ ids: [String]) -> String {
        do {
            let state = try state.get()
            return try "\(ids.map { try (state[$0] ?? .null).decode(LawPlugin.State.self) })"
        } catch {
            return "\(error)"
        }
    }
}
