// SPDX-License-Identifier: Apache-2.0

import CLinux
import FoundationEssentials
import GatehouseRuntime

/// Memory that further instances of one library take.
enum MemoryBenchmark {
    /// The word that makes this program a child that prints what it uses.
    static let word = "memory"

    /// Each number of instances in a process of its own, because memory that was used once hides what is used later.
    static func rows() throws -> [Row] {
        let (few, many) = (1_000, 11_000)
        let bytes = try used(instances: many) - used(instances: few)
        return [Row("memory", "each further instance", Double(bytes) / Double(many - few) / 1024, "KiB")]
    }

    /// Prints the bytes of memory that this process has to itself once the instances are there.
    static func runAsChild(instances: Int) throws {
        let host = try Installation.loaded("Listener", count: instances)
        // As a host does once it is ready.
        gatehouse_trim_heap()
        let pages = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = pages.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        let kilobytes = line?.split(separator: " ").dropLast().last?.split(separator: "\t").last.flatMap {
            Int($0)
        }
        print((kilobytes ?? 0) * 1024)
        withExtendedLifetime(host) {}
    }

    private static func used(instances: Int) throws -> Int {
        let folder = try TemporaryFolder()
        let output = folder.path + "/output"
        try ChildProcess.run([CommandLine.arguments[0], word, "\(instances)"], output: output)
        let text = try String(contentsOfFile: output, encoding: .utf8)
        return Int(text.prefix { $0.isNumber }) ?? 0
    }
}
