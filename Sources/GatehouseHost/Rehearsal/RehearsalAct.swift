// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest

/// One image and what is to be made of it, for one child.
struct RehearsalAct: Sendable {
    /// The judged bytes that are loaded.
    let content: ImageContent
    /// What else they bring along, from the system.
    let broughtAlong: Digest
    /// What they say about themselves.
    let note: PluginNote
    /// Where a file with these bytes is; nil where they are mapped from memory, and before it was asked for.
    var path: String?
    /// The instances that are to be made of it, in chain order; at least one.
    var instances: [PlannedInstance]
    /// What some of them are to take over, by id.
    var states: [String: VersionedState] = [:]

    /// The same as a child is told.
    var image: RehearsalJob.Image {
        RehearsalJob.Image(
            path: path ?? "/proc/self/fd/\(content.file.descriptor)", name: content.file.name, note: note,
            instances: instances.map {
                RehearsalJob.Instance(
                    id: $0.id, settings: $0.entry.settings, dependencies: $0.entry.lift.dependencies,
                    state: states[$0.id])
            })
    }

    /// The descriptor that a child must have; nil where it opens the file.
    var inherited: Int32? { path == nil ? content.file.descriptor : nil }

    /// The same without some instances; nil when none is left.
    func without(_ ids: some Sequence<String>) -> RehearsalAct? {
        var act = self
        act.instances.removeAll { ids.contains($0.id) }
        return act.instances.isEmpty ? nil : act
    }
}
