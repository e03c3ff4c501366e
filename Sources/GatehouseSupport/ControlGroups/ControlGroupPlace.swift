// SPDX-License-Identifier: Apache-2.0

/// Where the control group is that a host and its workers share, before anything is changed there.
struct ControlGroupPlace {
    /// Its name below the mount, such as `/system.slice/gatehouse@orders.service`.
    let name: String
    /// Its folder.
    let folder: String
    /// Whether this process is in a leaf below it already, to which its supervisor has moved.
    let isInLeaf: Bool

    /// The beginning of the names of groups that hosts make.
    private static let mark = "gatehouse."

    /// Finds it.
    ///
    /// - Throws: that there is none, or that its processes cannot be limited in memory.
    init(_ files: ControlGroupFiles) throws(Undelegated) {
        let lines = (files.read("/proc/self/cgroup") ?? "").split(separator: "\n")
        let own = lines.first { $0.hasPrefix("0::/") }?.dropFirst(3) ?? "/"
        let (parent, last) = SystemFile.parts(of: String(own))
        isInLeaf = Self.process(ofGroup: last, isLeaf: true) != nil
        name = isInLeaf ? parent : String(own)
        folder = files.mount + (name == "/" ? "" : name)
        let controllers = folder + "/cgroup.controllers"
        guard files.read(controllers) != nil else {
            throw Undelegated("control groups of version 2 are not mounted at \(files.mount)")
        }
        guard files.words(controllers).contains("memory") else {
            throw Undelegated("its control group \(name) has no memory controller")
        }
    }

    /// Whether it is that of the whole system, which may contain processes beside groups.
    func isRoot(_ files: ControlGroupFiles) -> Bool { files.read(folder + "/cgroup.type") == nil }

    /// The folder of the leaf that this process would move to.
    func leaf(of process: Int32) -> String { "\(folder)/\(Self.mark)\(process)" }

    /// The folder of a group for a worker.
    func worker(_ number: Int, of process: Int32) -> String { "\(folder)/\(Self.mark)\(process).\(number)" }

    /// The process that has made a group for itself, or for one of its workers; nil for a group of another name.
    static func process(ofGroup name: String, isLeaf: Bool) -> Int32? {
        guard name.hasPrefix(mark) else { return nil }
        let numbers = name.dropFirst(mark.count).split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count == (isLeaf ? 1 : 2), numbers.allSatisfy({ Int32($0).map { $0 > 0 } == true })
        else { return nil }
        return Int32(numbers[0])
    }
}

/// Why a host cannot make control groups for its workers, as a clause that says what it found.
package struct Undelegated: Error, Equatable, Sendable {
    /// The clause.
    package let reason: String

    /// A reason.
    init(_ reason: String) { self.reason = reason }
}
