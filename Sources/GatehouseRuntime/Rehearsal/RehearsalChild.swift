// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Tries plugins in a child of the host: does what the host does on the way to a start, and reports each step before it.
///
/// Any damage a plugin does here affects this process alone, which ends afterwards. `start` is never called.
package struct RehearsalChild {
    /// Reports each step to the host.
    private let writer: ChildEventWriter
    /// The dependencies of instances.
    private let dependencies: HostDependencies

    /// Reads a request from standard input, performs it, and ends the process.
    ///
    /// - Parameter descriptor: where the host listens.
    package static func perform(tellingTo descriptor: Int32) -> Never {
        guard let request = RehearsalRequest(bytes: ChildRequest.bytes()) else { _exit(EX_DATAERR) }
        let child = RehearsalChild(
            writer: ChildEventWriter(descriptor: descriptor),
            dependencies: HostDependencies(
                clock: HostClock(clock: ContinuousClock()) { 0 },
                dataDirectory: ScratchFolder.ofChild + "/data",
                report: { _ in }))
        for (number, image) in request.images.enumerated() {
            child.attempt(image, number)
            child.tell(.done(image: number))
        }
        child.tell(.end)
        // Like the host: without the libraries' exit handlers.
        _exit(EXIT_SUCCESS)
    }

    // MARK: - Implementation details

    /// Loads an image, makes its instances, and ends them as a host does, except for `stopping`, which belongs to `start`.
    private func attempt(_ image: RehearsalRequest.Image, _ number: Int) {
        guard let note = try? PluginNote(parsing: Array(image.note.json().utf8)) else { _exit(EX_DATAERR) }
        let loaded: LoadedImage
        do {
            loaded = try LoadedImage(path: image.path, name: image.name, note: note) {
                tell(.step($0, image: number, instance: nil))
            }
        } catch {
            return tell(.objection(.reasons(error.sentences), image: number, instance: nil))
        }
        var instances = image.instances.enumerated().compactMap { place, wanted in
            instance(wanted, of: loaded) {
                tell(.step($0, image: number, instance: place))
            } onObjection: {
                tell(.objection($0, image: number, instance: place))
            }
        }
        tell(.step(.end, image: number, instance: nil))
        for instance in instances {
            instance.stopEffects()
            instance.cancelEffects()
        }
        instances.removeAll()
    }

    /// Makes one instance, round-trips its state, and hands over the one it will have; nil, after an objection, if not made.
    private func instance(
        _ wanted: RehearsalRequest.Instance, of image: LoadedImage, announce: (LoadingStep) -> Void,
        onObjection object: (RehearsalObjection) -> Void
    ) -> Instance? {
        let planned = PlannedInstance(
            InstanceConfiguration(
                id: wanted.id, settings: wanted.settings,
                lift: LiftConfiguration(dependencies: wanted.dependencies)), manifest: image.note.manifest)
        announce(.parts)
        if let reason = planned.objection(to: image.exports) {
            object(.reasons([reason]))
            return nil
        }
        let instance: Instance
        do {
            instance = try Instance(
                planned, exports: image.exports, tree: StateTree(plain: [:]), dependencies: dependencies)
        } catch {
            object(.settings(pointer: error.pointer, expected: error.expected, found: error.found))
            return nil
        }
        announce(.state)
        if let reason = Self.objection(to: instance.slice) { object(.reasons([reason])) }
        if let state = wanted.state {
            announce(.handover)
            do {
                try state.restore(instance.slice, of: image.exports)
            } catch {
                object(.reasons([error.description]))
            }
        }
        return instance
    }

    /// Returns why a state does not survive a round trip through a file; nil when it does.
    private static func objection(to slice: Slice) -> String? {
        let value: Value?
        do {
            value = try slice.value()
        } catch {
            return "its first state cannot be written as JSON: \(error); correct the State type"
        }
        guard let value else { return nil }
        do {
            try slice.restore(value)
        } catch {
            return
                "its first state does not come back from the JSON that it is written as: \(error); correct the State type"
        }
        return nil
    }

    /// Sends an event to the host.
    private func tell(_ event: RehearsalEvent) { writer.tell(event.line) }
}
