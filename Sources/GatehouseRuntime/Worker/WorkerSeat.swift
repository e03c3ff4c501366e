// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// What each process of a worker needs to run one of its instances.
struct WorkerSeat: Sendable {
    /// The instance's entry.
    let entry: InstanceConfiguration
    /// The bytes of its library, open as long as processes may be started.
    let file: SealedFile
    /// The path at which the loader finds the same bytes; nil to map them from memory.
    let path: String?
    /// The library's note, as JSON.
    let note: Value
    /// The folder in which its folder for data is; nil where it is granted none.
    let dataDirectory: String?
    /// The files that it may reach.
    let access: FileAccess
    /// The sockets at which it listens, which its link has.
    var listeners = GrantedListeners()

    /// The library, by a path that leads to it here and in the process, and by its name.
    var image: (path: String, name: String) { (path ?? "/proc/self/fd/\(file.descriptor)", file.name) }

    /// The part of a request that asks for the instance.
    func member(sharing share: WorkerShare) -> WorkerRequest.Member {
        let rings = share.rings
        return WorkerRequest.Member(
            path: image.path, name: image.name, note: note, id: entry.id, settings: entry.settings,
            dependencies: entry.lift.dependencies, dataDirectory: dataDirectory, own: rings.own,
            other: rings.other, network: share.broker?.other)
    }
}

extension FileAccess {
    /// The files that one of several may reach, each once: a process has one set of rights for all that run in it.
    init(unionOf accesses: [FileAccess]) {
        var known: Set<String> = []
        let changed = accesses.flatMap(\.changed).filter { known.insert($0).inserted }
        known = []
        let read = accesses.flatMap { $0.read ?? ["/"] }.filter { known.insert($0).inserted }
        self.init(changing: changed, reading: read)
    }
}
