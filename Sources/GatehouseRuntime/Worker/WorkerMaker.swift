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
    /// The ids of instances whose workers wait for a debugger.
    let debugged: Set<String>

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
        let access = planned.access(to: path, changing: folder)
        let grants = entry.grant.network
        let limits = plan.configuration.limits
        let memory = limits.memory == 0 ? nil : limits.memory << 20
        let isDebugged = debugged.contains(planned.id)
        let report = dependencies.report
        var rules = plan.configuration.supervise
        // Whoever looks at a process stops it for as long as they like.
        if isDebugged { rules.hang = 0 }
        let link = WorkerLink(
            planned.id, patience: .seconds(isDebugged ? WorkerLink.always : limits.rehearsal), rules: rules
        ) {
            let broker = grants.isEmpty ? nil : try NetworkBroker(for: entry.id, grants)
            let life = try WorkerLife(
                "/proc/self/exe", image: path == nil ? file.descriptor : nil, access: access,
                memory: memory, broker: broker
            ) { flightRecorder, own, other in
                WorkerRequest(
                    path: path ?? "/proc/self/fd/\(file.descriptor)", name: file.name, note: note.value,
                    id: entry.id, settings: entry.settings, dependencies: entry.lift.dependencies,
                    dataDirectory: parent, flightRecorder: flightRecorder, own: own, other: other,
                    network: broker?.other, capacity: WorkerLife.capacity, isDebugged: isDebugged)
            }
            if isDebugged {
                let process = life.child.process
                report(
                    .worker(
                        instance: entry.id,
                        "its worker waits for a debugger before it loads the library: gdb -p \(process), or lldb -p \(process), then continue"
                    ))
            }
            return life
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
    /// The files that its worker may reach: what programs read, its library with all that this needs, and what its entry grants.
    ///
    /// - Parameters:
    ///   - image: the path of a file with its library, which its companions lie beside; nil where it is mapped from memory.
    ///   - folder: its folder for data; nil for none.
    func access(to image: String?, changing folder: String? = nil) -> FileAccess {
        let libraries =
            LoadedLibraries.host.folders.sorted() + (image.map { [SystemFile.parts(of: $0).folder] } ?? [])
            + (library?.verdict.neededFiles ?? [])
        return FileAccess(
            changing: (folder.map { [$0] } ?? []) + entry.grant.files,
            reading: FileAccess.ofPrograms + libraries.filter { $0.hasPrefix("/") } + entry.grant.read)
    }

    /// Why nothing can be made of its library: it was not read.
    var unreadable: Diagnostic { refusal(["its bytes could not be read"]) }
}
