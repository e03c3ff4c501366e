// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// The control group that is delegated to this process, which makes one below it for each process of a worker.
///
/// The kernel wants no process in a group whose children have controllers. So whoever claims it moves to a leaf below it, `gatehouse.PID`,
/// before it has started others: a supervisor, whose hosts begin there, or a host without one. Workers are in `gatehouse.PID.NUMBER`.
package final class DelegatedGroup: Sendable {
    /// Where it is.
    private let place: ControlGroupPlace
    /// What the kernel can be asked for there.
    private let files: ControlGroupFiles
    /// The controllers that groups below it have: `memory`, and `cpu` and `pids` where the system gives them.
    package let controllers: Set<String>
    /// The process that makes groups.
    private let process: Int32
    /// Numbers them.
    private let last = Atomic(0)

    /// Its name, such as `/system.slice/gatehouse@orders.service`.
    package var name: String { place.name }

    /// Those that are passed on where there are some, the first one always.
    private static let wanted = ["memory", "cpu", "pids"]

    /// Moves this process to a leaf, lets groups beside that have controllers, and removes what hosts that were killed have left; called
    /// while this process has one thread and no children.
    ///
    /// - Parameters:
    ///   - files: the calls to use.
    ///   - process: this process.
    ///   - isAlive: whether a process goes on.
    /// - Throws: why that is impossible; then this process is where it was.
    init(
        claimedWith files: ControlGroupFiles, by process: Int32, isAlive: (Int32) -> Bool
    ) throws(Undelegated) {
        let place = try ControlGroupPlace(files)
        if !place.isInLeaf { try Self.move(process, toLeafOf: place, files) }
        do throws(SystemFailure) {
            controllers = try Self.passOn(place, files)
        } catch {
            if !place.isInLeaf { Self.moveBack(process, place, files) }
            throw Undelegated(
                "the memory controller of its control group \(place.name) cannot be passed on: \(error)")
        }
        (self.place, self.files, self.process) = (place, files, process)
        removeLeftovers(isAlive)
    }

    /// Claims the group of this process; see the other initializer.
    package convenience init() throws(Undelegated) {
        try self.init(claimedWith: .system, by: getpid()) { kill($0, 0) == 0 || errno == EPERM }
    }

    /// Whether claiming would succeed, as far as that can be seen without doing it.
    ///
    /// - Returns: the name of the group.
    /// - Throws: why it would not.
    static func look(with files: ControlGroupFiles, by process: Int32) throws(Undelegated) -> String {
        let place = try ControlGroupPlace(files)
        guard
            ["", "/cgroup.procs", "/cgroup.subtree_control"].allSatisfy({ files.mayWrite(place.folder + $0) })
        else { throw Undelegated("its control group \(place.name) is not delegated to it") }
        if !place.isInLeaf { try checkAlone(process, in: place, files) }
        return place.name
    }

    /// Makes a group for a process of a worker; it goes when the value goes.
    ///
    /// - Throws: the call that the system refused.
    package func group(_ limits: ControlGroup.Limits) throws(ChildFailure) -> ControlGroup {
        let number = last.add(1, ordering: .relaxed).newValue
        return try ControlGroup(
            place.worker(number, of: process), limits, controllers: controllers, files)
    }

    /// Waits until all groups that this process has made are gone, but no longer than allowed.
    func waitUntilEmpty(atMost limit: Duration) {
        let end = ContinuousClock.now + limit
        while !workers.isEmpty, ContinuousClock.now < end { usleep(1_000) }
    }

    /// The names of the groups that this process has made.
    private var workers: [String] {
        SystemFile.names(inFolder: place.folder).filter {
            ControlGroupPlace.process(ofGroup: $0, isLeaf: false) == process
        }
    }

    // MARK: - Claiming

    /// Moves a process to a leaf of its own.
    private static func move(
        _ process: Int32, toLeafOf place: ControlGroupPlace, _ files: ControlGroupFiles
    ) throws(Undelegated) {
        let leaf = place.leaf(of: process)
        do throws(SystemFailure) {
            // One that is there was left by another process of this number.
            if files.read(leaf + "/cgroup.procs") == nil { try files.make(leaf) }
        } catch {
            throw Undelegated("its control group \(place.name) is not delegated to it: mkdir: \(error)")
        }
        do throws(Undelegated) {
            try checkAlone(process, in: place, files)
            do throws(SystemFailure) {
                try files.write(leaf + "/cgroup.procs", "\(process)")
            } catch {
                throw Undelegated(
                    "its control group \(place.name) is not delegated to it: cgroup.procs: \(error)")
            }
        } catch {
            try? files.remove(leaf)
            throw error
        }
    }

    /// Moves a process to where it was.
    private static func moveBack(_ process: Int32, _ place: ControlGroupPlace, _ files: ControlGroupFiles) {
        try? files.write(place.folder + "/cgroup.procs", "\(process)")
        try? files.remove(place.leaf(of: process))
    }

    /// Checks that no other process is in the group, which would have to leave it.
    private static func checkAlone(
        _ process: Int32, in place: ControlGroupPlace, _ files: ControlGroupFiles
    ) throws(Undelegated) {
        guard !place.isRoot(files) else { return }
        let others = files.words(place.folder + "/cgroup.procs").filter { Int32($0) != process }
        guard others.isEmpty else {
            let shown = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? ", …" : "")
            throw Undelegated(
                "its control group \(place.name) contains \(Counted.text(others.count, "other process", plural: "other processes")) (\(shown))"
            )
        }
    }

    /// Passes controllers on to the groups below.
    ///
    /// - Returns: those that these have.
    /// - Throws: that memory is not among them.
    private static func passOn(_ place: ControlGroupPlace, _ files: ControlGroupFiles) throws(SystemFailure)
        -> Set<String>
    {
        let control = place.folder + "/cgroup.subtree_control"
        for controller in wanted {
            do throws(SystemFailure) {
                try files.write(control, "+" + controller)
            } catch {
                if controller == wanted[0] { throw error }
            }
        }
        let passed = files.words(control)
        return Set(wanted.filter { passed.contains(Substring($0)) })
    }

    /// Removes groups of hosts that have gone. What is left in those of workers is ended; a leaf may still have a host that
    /// is about to end, and stays then.
    private func removeLeftovers(_ isAlive: (Int32) -> Bool) {
        for name in SystemFile.names(inFolder: place.folder) {
            let folder = "\(place.folder)/\(name)"
            if let owner = ControlGroupPlace.process(ofGroup: name, isLeaf: true) {
                if !isAlive(owner) { try? files.remove(folder) }
            } else if let owner = ControlGroupPlace.process(ofGroup: name, isLeaf: false) {
                // Another process of this number is no reason to keep them.
                if owner == process || !isAlive(owner) { ControlGroup.remove(folder, files) }
            }
        }
    }
}
