// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Starts workers, and makes the instances that stand for them in the host.
struct WorkerMaker {
    /// Knows where the loader finds images.
    let cache: ImageCache
    /// What the host can grant to instances.
    let dependencies: HostDependencies

    /// Starts the worker of an entry, and returns before it is ready.
    ///
    /// - Throws: why there is nothing to start it with.
    func launch(_ planned: PlannedInstance, of plan: HostPlan) throws(Diagnostic) -> WorkerLink {
        guard let (content, note) = planned.image else { throw planned.unreadable }
        let path: String?
        do throws(LoadingError) {
            path = try cache.path(of: content, from: plan.configuration.images)
        } catch {
            throw planned.refusal(error.sentences)
        }
        let (entry, file) = (planned.entry, content.file)
        let (parent, folder) = try folders(of: planned)
        let folders = (folder.map { [$0] } ?? []) + planned.entry.grant.files
        let limits = plan.configuration.limits
        let memory = limits.memory == 0 ? nil : limits.memory << 20
        let link = WorkerLink(
            planned.id, patience: .seconds(limits.rehearsal),
            rules: plan.configuration.supervise
        ) {
            try WorkerLife(
                "/proc/self/exe", image: path == nil ? file.descriptor : nil, folders: folders, memory: memory
            ) { flightRecorder, own, other in
                WorkerRequest(
                    path: path ?? "/proc/self/fd/\(file.descriptor)", name: file.name, note: note.value,
                    id: entry.id, settings: entry.settings, dependencies: entry.lift.dependencies,
                    dataDirectory: parent, flightRecorder: flightRecorder, own: own, other: other,
                    capacity: WorkerLife.capacity)
            }
        }
        link.launch()
        return link
    }

    /// Makes the instance that stands for a launched worker, once that is ready.
    ///
    /// - Throws: why there is none, or what the settings do not fit in.
    func make(_ planned: PlannedInstance, in tree: StateTree, with link: WorkerLink) throws(Diagnostic)
        -> Instance
    {
        do {
            return try link.instance(as: planned, tree: tree, dependencies: dependencies)
        } catch let failure as CodingFailure {
            throw planned.fault(inSettings: failure)
        } catch {
            throw planned.refusal((error as? WorkerFailure)?.reasons ?? ["\(error)"])
        }
    }

    /// Makes the folder in which the worker may change files, because only one that exists can be granted.
    ///
    /// - Returns: the folder of all instances, and that of this one; nil where it is granted none.
    /// - Throws: why it cannot be made.
    private func folders(of planned: PlannedInstance) throws(Diagnostic) -> (parent: String?, own: String?) {
        let isGranted = planned.entry.lift.dependencies?.contains("data") ?? true
        guard isGranted, let parent = dependencies.dataDirectory else { return (nil, nil) }
        let own = "\(parent)/\(planned.id)"
        do throws(SystemFailure) {
            try SystemFile.makeFolder(parent)
            try SystemFile.makeFolder(own)
        } catch {
            throw planned.refusal(["its folder for data, \(own), cannot be made: \(error)"])
        }
        return (parent, own)
    }
}

extension PlannedInstance {
    /// Why nothing can be made of its library: it was not read.
    var unreadable: Diagnostic { refusal(["its bytes could not be read"]) }
}
