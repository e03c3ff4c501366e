// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// What a process uses of the machine, as the system tells.
package struct ProcessUse: Sendable {
    /// Its memory in bytes: shared parts included, or what counts in its control group.
    package let memory: Int
    /// The most of that so far; nil where the system does not keep it.
    package let peak: Int?
    /// How long processors have worked for it, in seconds.
    package let seconds: Double

    /// Asks about a process; nil where the system does not tell.
    ///
    /// - Parameter group: the folder of the control group in which it is alone; nil for none.
    package init?(of process: Int32, inGroup group: String? = nil) {
        if let group, let use = ProcessUse(ofGroup: group, .system) {
            self = use
            return
        }
        guard let pages = Self.words(process, "statm"), pages.count > 1, let resident = Int(pages[1]),
            let stat = Self.words(process, "stat"),
            // The second word is its name in parentheses, which may contain anything.
            let name = stat.lastIndex(where: { $0.hasSuffix(")") }), stat.count > name + 13,
            let user = Double(stat[name + 12]), let system = Double(stat[name + 13])
        else { return nil }
        memory = resident * sysconf(Int32(_SC_PAGESIZE))
        peak = nil
        seconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Asks about all processes of a control group; nil where the system does not tell.
    init?(ofGroup folder: String, _ files: ControlGroupFiles) {
        guard let memory = files.number(folder + "/memory.current"),
            let microseconds = files.number(after: "usage_usec", in: folder + "/cpu.stat")
        else { return nil }
        self.memory = memory
        // From Linux 5.19 on.
        peak = files.number(folder + "/memory.peak")
        seconds = Double(microseconds) / 1e6
    }

    /// The words of one of the files about a process.
    private static func words(_ process: Int32, _ file: String) -> [Substring]? {
        (try? SystemFile.bytes(of: "/proc/\(process)/\(file)", limit: 4_096)).map {
            String(decoding: $0, as: UTF8.self).split(separator: " ")
        }
    }
}
