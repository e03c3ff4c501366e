// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseReload
internal import GatehouseSupport
private import Glibc

/// How a process of this program starts another one that runs a host: with the same arguments, and with sockets that are open here.
struct HostStart {
    /// The program.
    var program = HostStart.ownProgram
    /// What it gets in its environment, beside what this process has.
    var environment: [String: String] = [:]
    /// The sockets, as a service manager would hand them over, by name.
    var sockets: [(descriptor: Int32, name: String)] = []
    /// Other descriptors, by the variable that names each; the text is what follows the number.
    var others: [(variable: String, descriptor: Int32, text: String)] = []

    /// Starts it.
    ///
    /// - Parameter output: becomes its standard output, and it goes on when this process ends; nil for a program that shares this
    ///   process's output and ends with it, which only a process with one thread may start.
    /// - Returns: its process id.
    /// - Throws: the call that failed.
    func start(output: Int32? = nil) throws(SystemFailure) -> Int32 {
        let identifier = "LISTEN_PID="
        var given = environment
        for (index, other) in others.enumerated() {
            given[other.variable] = "\(3 + sockets.count + index)" + other.text
        }
        if !sockets.isEmpty {
            given["LISTEN_FDS"] = "\(sockets.count)"
            given["LISTEN_FDNAMES"] = sockets.map(\.name).joined(separator: ":")
        }
        // It says which process the service manager's watchdog means, and whoever is started here stands for that one.
        let replaced = Set(given.keys).union(["WATCHDOG_PID"])
        var surroundings = SystemFile.environment.filter {
            !replaced.contains(String($0.prefix { $0 != "=" }))
        }
        surroundings += given.map { "\($0.key)=\($0.value)" } + [identifier + "0000000000"]
        let arguments = CommandLine.arguments.filter { $0 != "--supervise" }
        let descriptors = sockets.map(\.descriptor) + others.map(\.descriptor)
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var variables = unsafe surroundings.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe words.forEach { unsafe free($0) }
            unsafe variables.forEach { unsafe free($0) }
        }
        let place = unsafe variables[surroundings.count - 1].map { unsafe $0 + identifier.utf8.count }
        let started =
            if let output {
                unsafe gatehouse_start_successor(
                    program, &words, &variables, place, descriptors, Int32(descriptors.count), output)
            } else {
                unsafe gatehouse_start_supervised(
                    program, &words, &variables, place, descriptors, Int32(descriptors.count))
            }
        guard started > 0 else { throw SystemFailure(code: -started) }
        return started
    }

    /// The path of this program; the system's own link where another file has replaced it.
    static var ownProgram: String {
        let own = SystemFile.identity(link)
        return own != nil && own == SystemFile.identity(installedProgram) ? installedProgram : link
    }

    /// The path at which this program was started, whatever is there by now.
    static var installedProgram: String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &bytes, bytes.count)
        let path = String(decoding: bytes.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        let suffix = " (deleted)"
        return path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path
    }

    /// Whether another file is there by now, as after an upgrade.
    static var isReplaced: Bool {
        let installed = SystemFile.identity(installedProgram)
        return installed != nil && installed != SystemFile.identity(link)
    }

    /// The system's link to this program, also when its file is gone.
    private static let link = "/proc/self/exe"
}
