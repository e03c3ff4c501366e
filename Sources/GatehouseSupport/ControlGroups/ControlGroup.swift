// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The control group of one process of a worker, which limits what the process takes and measures it.
///
/// Its folder goes with it, and whatever still runs there.
package final class ControlGroup: Sendable {
    /// What a process may take.
    package struct Limits: Equatable, Sendable {
        /// Memory of all kinds, in bytes; nil for any number.
        package var memory: Int?
        /// Hundredths of the time of one processor; nil for any.
        package var cpu: Int?
        /// Threads.
        package var threads: Int

        /// Limits of a process.
        package init(memory: Int?, cpu: Int?, threads: Int) {
            self.memory = memory
            self.cpu = cpu
            self.threads = threads
        }
    }

    /// Its folder.
    package let folder: String
    /// The limits.
    private let limits: Limits
    /// What the kernel can be asked for there.
    private let files: ControlGroupFiles
    /// Where a process that has inherited it enters the group, by writing `0`.
    package let entrance: Int32

    /// The period in which processor time is counted, in microseconds.
    private static let period = 100_000

    /// Makes a group.
    ///
    /// - Throws: what the system refused; then there is none.
    init(
        _ folder: String, _ limits: Limits, controllers: Set<String>, _ files: ControlGroupFiles
    ) throws(ChildFailure) {
        do throws(SystemFailure) {
            try files.make(folder)
        } catch {
            throw ChildFailure("mkdir \(folder)", code: error.code)
        }
        let entrance = unsafe open(folder + "/cgroup.procs", O_WRONLY | O_CLOEXEC)
        let failure = errno
        (self.folder, self.limits, self.files, self.entrance) = (folder, limits, files, entrance)
        // From here on the folder goes with this.
        guard entrance >= 0 else { throw ChildFailure("open \(folder)/cgroup.procs", code: failure) }
        if let memory = limits.memory {
            try set("memory.max", to: "\(memory)")
            // Where the kernel counts no swap, there is no such file.
            if files.read(folder + "/memory.swap.max") != nil { try set("memory.swap.max", to: "0") }
        }
        try set("memory.oom.group", to: "1")
        if controllers.contains("pids") { try set("pids.max", to: "\(limits.threads)") }
        if let cpu = limits.cpu { try set("cpu.max", to: "\(cpu * Self.period / 100) \(Self.period)") }
    }

    deinit {
        if entrance >= 0 { close(entrance) }
        Self.remove(folder, files)
    }

    /// Writes to one of its files.
    private func set(_ file: String, to text: String) throws(ChildFailure) {
        do throws(SystemFailure) {
            try files.write("\(folder)/\(file)", text)
        } catch {
            throw ChildFailure("\(folder)/\(file)", code: error.code)
        }
    }

    /// Moves this process to the group that it has inherited the entrance of, and closes that.
    ///
    /// - Throws: what the system refused.
    package static func enter(_ entrance: Int32) throws(ChildFailure) {
        defer { close(entrance) }
        guard SystemFile.write(Array("0".utf8), to: entrance) else {
            throw ChildFailure("cgroup.procs", code: errno)
        }
    }

    /// Removes a group, after ending what is left there.
    static func remove(_ folder: String, _ files: ControlGroupFiles) {
        // What was killed takes a moment to go.
        for _ in 0..<100 {
            do throws(SystemFailure) {
                return try files.remove(folder)
            } catch {
                guard error.code == EBUSY else { return }
                try? files.write(folder + "/cgroup.kill", "1")
                usleep(1_000)
            }
        }
    }

    /// How the process has ended, where the kernel has ended it for want of memory; nil where it has not.
    package var memoryEnd: ChildEnd? {
        let events = folder + "/memory.events"
        guard (files.number(after: "oom_kill", in: events) ?? 0) > 0 else { return nil }
        // This counts where the limit was that was reached.
        guard (files.number(after: "oom", in: events) ?? 0) > 0, let memory = limits.memory else {
            return .starved
        }
        return .outgrown(memory)
    }
}
