// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// One image with its instances, for one child.
struct RehearsalAct: Sendable {
    /// The judged bytes to load.
    let content: ImageContent
    /// The digest of the system libraries that they bring along.
    let broughtAlong: Digest
    /// The library's note.
    let note: PluginNote
    /// The path of a file with these bytes; nil where they are mapped from memory, and before it is known.
    var path: String?
    /// The instances to make, in chain order; at least one.
    var instances: [PlannedInstance]
    /// The states that some of them will take over, by id.
    var states: [String: VersionedState] = [:]

    /// The act as part of a child's request.
    var image: RehearsalRequest.Image {
        RehearsalRequest.Image(
            path: path ?? "/proc/self/fd/\(content.file.descriptor)", name: content.file.name,
            note: note.value,
            instances: instances.map {
                RehearsalRequest.Instance(
                    id: $0.id, settings: $0.entry.settings, dependencies: $0.entry.lift.dependencies,
                    state: states[$0.id])
            })
    }

    /// Whether all instances run in workers, so that nothing of them will have the rights of the host.
    var isInWorkers: Bool { instances.allSatisfy { $0.runsInWorker } }

    /// The program whose child tries it.
    var program: String { instances.first?.program ?? HostChild.ownProgram }

    /// The descriptor that a child must inherit; nil where it opens the file.
    var inherited: Int32? { path == nil ? content.file.descriptor : nil }

    /// Returns the act without some instances; nil when none is left.
    func without(_ ids: some Sequence<String>) -> RehearsalAct? {
        var act = self
        act.instances.removeAll { ids.contains($0.id) }
        return act.instances.isEmpty ? nil : act
    }
}

/// A request to a child to try plugins.
struct RehearsalRequest: Sendable, ChildMessage {
    /// One image, with every instance to make of it.
    struct Image: Codable, Sendable {
        /// The path at which the loader finds it.
        let path: String
        /// The library's name in messages.
        let name: String
        /// The library's note, as JSON.
        let note: Value
        /// The instances that use the image.
        let instances: [Instance]
    }

    /// One instance of an image.
    struct Instance: Codable, Sendable {
        /// Its id in the configuration.
        let id: String
        /// The settings of the instance.
        let settings: Value
        /// The dependencies it is granted; nil for all.
        let dependencies: [String]?
        /// The state to take over; nil for none.
        let state: VersionedState?
    }

    /// The images, in the order of trying.
    let images: [Image]
}
