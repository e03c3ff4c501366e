// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Synchronization

@testable import GatehouseSupport

/// A folder that stands for `/sys/fs/cgroup`, with those rules of the kernel that hosts meet.
final class FakeControlGroups: Sendable {
    /// The folder.
    let folder: TemporaryFolder
    /// The group of the process that looks.
    let own: Mutex<String>
    /// What the kernel refuses: the end of a path, with the error.
    let refused = Mutex<[String: Int32]>([:])
    /// Whether the process may write to what is there.
    let isDelegated = Atomic(true)

    /// A system with one group below the root, in which a process is alone.
    init(own: String = "/service", controllers: String = "cpu memory pids", processes: String = "41\n") throws
    {
        folder = try TemporaryFolder()
        self.own = Mutex(own)
        try folder.write(controllers + "\n", to: "cgroup.controllers")
        try folder.write(controllers + "\n", to: "cgroup.subtree_control")
        try folder.write("", to: "cgroup.procs")
        var path = ""
        for name in own.split(separator: "/") {
            path += "/" + name
            try makeGroup(folder.path + path)
        }
        try folder.write(processes, to: String(own.dropFirst()) + (own == "/" ? "" : "/") + "cgroup.procs")
    }

    /// The calls.
    var files: ControlGroupFiles {
        ControlGroupFiles(
            mount: folder.path,
            read: { [self] path in
                if path == "/proc/self/cgroup" { return own.withLock { "1:name=systemd:/x\n0::\($0)\n" } }
                return try? text(path)
            },
            write: { [self] path, text throws(GatehouseSupport.SystemFailure) in try write(text, to: path) },
            make: { [self] path throws(GatehouseSupport.SystemFailure) in
                try refuse(path)
                guard (try? makeGroup(path)) != nil else { throw .last }
            },
            remove: { [self] path throws(GatehouseSupport.SystemFailure) in
                guard text(in: path, "cgroup.procs").isEmpty else { throw SystemFailure(code: EBUSY) }
                FileSystem.removeFolder(path)
            },
            mayWrite: { [self] _ in isDelegated.load(ordering: .relaxed) })
    }

    /// The content of a file of a group, without the end of its last line; empty for a missing one.
    func text(in group: String, _ file: String) -> String {
        let path = group.hasPrefix(folder.path) ? group : folder.path + group
        return ((try? text("\(path)/\(file)")) ?? "").split(separator: "\n").joined(separator: " ")
    }

    /// Puts a text into a file of a group.
    func set(_ file: String, of group: String, to text: String) throws {
        try folder.write(text, to: "\(group.dropFirst())/\(file)")
    }

    /// The groups below one, sorted.
    func groups(in group: String) -> [String] {
        SystemFile.names(inFolder: folder.path + group).filter { $0.hasPrefix("gatehouse") }.sorted()
    }

    /// Makes a group with the files that its controllers have.
    func makeGroup(_ path: String) throws {
        try FileSystem.makeFolder(path)
        let controllers = text(in: SystemFile.parts(of: path).folder, "cgroup.subtree_control")
        var files = [
            "cgroup.type": "domain\n", "cgroup.procs": "", "cgroup.subtree_control": "", "cgroup.kill": "",
            "cgroup.controllers": controllers + "\n",
        ]
        if controllers.contains("memory") {
            for name in ["max", "swap.max"] { files["memory.\(name)"] = "max\n" }
            files["memory.oom.group"] = "0\n"
            files["memory.events"] = "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n"
        }
        if controllers.contains("pids") { files["pids.max"] = "max\n" }
        if controllers.contains("cpu") { files["cpu.max"] = "max 100000\n" }
        for (name, text) in files { try FileSystem.write(Array(text.utf8), to: "\(path)/\(name)") }
    }

    /// Throws what the kernel refuses at a path.
    private func refuse(_ path: String) throws(GatehouseSupport.SystemFailure) {
        for (end, code) in refused.withLock({ $0 }) where path.hasSuffix(end) {
            throw GatehouseSupport.SystemFailure(code: code)
        }
    }

    /// Writes as the kernel would.
    private func write(_ text: String, to path: String) throws(GatehouseSupport.SystemFailure) {
        try refuse(path)
        let (group, file) = SystemFile.parts(of: path)
        let isRoot = group == folder.path
        switch file {
        case "cgroup.procs":
            guard isRoot || self.text(in: group, "cgroup.subtree_control").isEmpty else {
                throw GatehouseSupport.SystemFailure(code: EBUSY)
            }
            let name = String(group.dropFirst(folder.path.count))
            let before = own.withLock { own in
                defer { own = name.isEmpty ? "/" : name }
                return own
            }
            put("", in: folder.path + before, file)
            put(text + "\n", in: group, file)
        case "cgroup.subtree_control":
            let controller = String(text.dropFirst())
            guard
                self.text(in: group, "cgroup.controllers").split(separator: " ").contains(
                    Substring(controller))
            else { throw GatehouseSupport.SystemFailure(code: ENOENT) }
            guard isRoot || self.text(in: group, "cgroup.procs").isEmpty else {
                throw GatehouseSupport.SystemFailure(code: EBUSY)
            }
            let passed = self.text(in: group, file).split(separator: " ").map(String.init)
            put(Set(passed + [controller]).sorted().joined(separator: " ") + "\n", in: group, file)
        case "cgroup.kill": put("", in: group, "cgroup.procs")
        default:
            guard (try? self.text(path)) != nil else { throw GatehouseSupport.SystemFailure(code: ENOENT) }
            put(text + "\n", in: group, file)
        }
    }

    /// Writes a file as it is.
    private func put(_ text: String, in group: String, _ file: String) {
        try? FileSystem.write(Array(text.utf8), to: "\(group)/\(file)")
    }

    /// The content of a file.
    private func text(_ path: String) throws -> String {
        String(decoding: try FileSystem.read(path), as: UTF8.self)
    }
}
