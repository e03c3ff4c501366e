// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK

/// On which terms a store runs: what is recorded of it, who takes its outputs, and who hears of it.
///
/// A store of a host that serves and a private one, which rehearses, tries or looks back, differ in this and in what their instances
/// were made with: the clock, and which effects run.
package struct StoreTerms {
    /// Takes note of what reached the reducers; nil for nobody.
    package var recorder: ActionRecorder?
    /// Takes outputs that are for another store; nil where all are for this one.
    package var elsewhere: (any OutputRoute)?
    /// Takes what goes wrong on the way.
    package var report: @Sendable (HostReport) -> Void
    /// Told about each action before it is processed, in the drain; nil for nobody.
    package var onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)?
}

extension HostStore {
    /// A store over an assembly, whose instances are not started.
    package convenience init(_ assembly: Assembly, _ terms: StoreTerms) {
        self.init(
            assembly.dependencies, tree: assembly.tree, limits: assembly.configuration.limits.drain,
            recorder: terms.recorder, report: terms.report, onAction: terms.onAction,
            elsewhere: terms.elsewhere)
        configuredState = assembly.configuration.state
        images = assembly.assembler.map {
            MappedImages($0.cache, usedBy: assembly.instances.map(\.planned))
        }
        for instance in assembly.instances { instance.connect(to: self) }
        run(Generation(assembly.instances.map { ChainLink($0) }, in: self))
    }
}
