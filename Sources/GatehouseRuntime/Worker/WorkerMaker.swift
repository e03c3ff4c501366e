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
    /// The program that runs workers of libraries which fit this one.
    var program = HostChild.ownProgram

    /// Starts one worker for instances that share it, and returns before it is ready.
    ///
    /// - Returns: a link to each of them by its id, but for those of several of which there is nothing to start.
    /// - Throws: why there is nothing to start at all.
    func launch(_ members: [PlannedInstance], of plan: HostPlan) throws(Diagnostic) -> [String: WorkerLink] {
        var seats: [WorkerSeat] = []
        for planned in members {
            do throws(Diagnostic) {
                seats.append(try seat(for: planned, of: plan))
            } catch  where members.count > 1 {
                // Whoever makes its instance asks for it alone, and is told the same.
                continue
            }
        }
        let limits = plan.configuration.limits
        if let planned = members.first, let objection = dependencies.limits.objection(to: limits) {
            throw planned.refusal([objection])
        }
        let awaited = seats.map(\.entry.id).filter { debugged.contains($0) }
        let report = dependencies.report
        var rules = plan.configuration.supervise
        // Whoever looks at a process stops it for as long as they like.
        if !awaited.isEmpty { rules.hang = 0 }
        let program = members.first?.match?.version.program ?? program
        let group = WorkerGroup(
            seats.map(\.entry.id), named: members.first?.sharedWorker,
            patience: .seconds(awaited.isEmpty ? limits.rehearsal : WorkerLink.always), rules: rules,
            listeners: { [seats, listeners = dependencies.listeners] id in
                GrantedListeners(
                    seats.first { $0.entry.id == id }?.entry.grant.listeners ?? [],
                    of: listeners.listeners(for: id, inWorker: true))
            }
        ) { [seats, groups = dependencies.limits] links in
            let taken = links.compactMap { link in
                var seat = seats.first { $0.entry.id == link.id }
                seat?.listeners = link.listeners
                return seat
            }
            let waiting = taken.map(\.entry.id).filter(awaited.contains)
            let life = try WorkerLife(
                program, for: taken,
                memory: limits.memory(of: taken.count), group: groups.group(for: taken.count, limits),
                isDebugged: !waiting.isEmpty)
            let process = life.child.process
            for id in waiting {
                report(
                    .worker(
                        instance: id,
                        "its worker waits for a debugger before it loads the library: gdb -p \(process), or lldb -p \(process), then continue"
                    ))
            }
            return life
        }
        group.launch()
        return group.links.reduce(into: [:]) { $0[$1.id] = $1 }
    }

    /// Collects what an instance needs in its process.
    ///
    /// - Throws: why it cannot run in any.
    private func seat(for planned: PlannedInstance, of plan: HostPlan) throws(Diagnostic) -> WorkerSeat {
        guard let (content, note) = planned.image else { throw planned.unreadable }
        let path: String?
        do throws(LoadingError) {
            path = try cache.path(of: content, from: plan.configuration.images)
        } catch {
            throw planned.refusal(error.sentences)
        }
        let (parent, folder) = try folders(of: planned)
        return WorkerSeat(
            entry: planned.entry, file: content.file, path: path, note: note.value, dataDirectory: parent,
            access: planned.access(to: path, changing: folder))
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
