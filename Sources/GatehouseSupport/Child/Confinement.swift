// SPDX-License-Identifier: Apache-2.0

private import CLinux
package import GatehouseSDK
private import Glibc
private import Synchronization

/// The rights that a child of the host keeps when it confines itself, before it has a second thread or any code of a plugin.
///
/// It may change files in its scratch folder and in folders that it is granted, and read all files, or those that are named. It has no
/// network, no signals for others, and no memory but its own, and none of it can be taken back. Landlock guards the files, and a filter
/// of system calls everything else; it follows the design of Polkadot's workers, which run foreign code in the same way.
package struct Confinement: Equatable, Sendable {
    /// The version of Landlock that guards its files.
    private let version: Int32
    /// What it may reach besides its scratch folder.
    private var access = FileAccess()

    /// The version of Landlock that children need: from 2 on, no file leaves its folder unseen.
    private static let least: Int32 = 2
    /// The environment variable by which an operator asks for less: `off`, or the highest version of Landlock that is used.
    package static let setting = "GATEHOUSE_CONFINEMENT"

    /// What holds children of this process in.
    package enum Level: Equatable, Sendable {
        /// Landlock of a version, and the filter of system calls.
        case confined(landlock: Int)
        /// Nothing, because the operator wants it so.
        case off
        /// Children are refused: the kernel has this version of Landlock, 0 for none.
        case missing(landlock: Int)
        /// Children are refused: this is nothing that an operator can ask for.
        case misspelled(String)

        /// What holds them with a kernel's version of Landlock, 0 or less for none, and what an operator asks for; nil for nothing.
        init(kernel: Int32, setting: String?) {
            switch setting {
            case "off": self = .off
            case nil, "":
                self =
                    kernel < least
                    ? .missing(landlock: max(0, Int(kernel))) : .confined(landlock: Int(kernel))
            case let setting?:
                guard let highest = Int32(setting), highest >= least else {
                    self = .misspelled(setting)
                    return
                }
                self.init(kernel: min(kernel, highest), setting: nil)
            }
        }

        /// Why children are not confined, in words that follow "children: "; nil where they are.
        package var reason: String? {
            switch self {
            case .confined: nil
            case .off: "not confined, because \(setting) is off"
            case .missing: "refused, because this kernel cannot confine them"
            case .misspelled:
                "refused, because \(setting) is neither off nor a version of Landlock from \(least) on"
            }
        }

        /// The level as a status shows it: with the version of Landlock, or the reason why nothing is confined.
        package var value: Value {
            guard case .confined(let version) = self else {
                return ["confined": false, "reason": .string(reason ?? "")]
            }
            return ["confined": true, "landlock": Value(version)]
        }
    }

    /// Whether it is confined, and everything that it starts by that.
    private static let entered = Atomic(false)
    /// Whether this process is a confined child.
    static var isInForce: Bool { entered.load(ordering: .relaxed) }

    /// The level in force for children of this process.
    package static var level: Level {
        Level(kernel: gatehouse_landlock_version(), setting: SystemFile.variable(setting))
    }

    /// The confinement of a child that is about to start; nil where the operator wants none, and where this process is a confined
    /// child itself.
    ///
    /// - Throws: what the kernel lacks, or what is wrong with the setting.
    init?() throws(ChildFailure) {
        if Self.isInForce { return nil }
        switch Self.level {
        case .off: return nil
        case .confined(let version): self.version = Int32(version)
        case .misspelled(let found):
            throw ChildFailure(
                Self.setting,
                reason: "expected off or a version of Landlock from \(Self.least) on, found \"\(found)\"")
        case .missing(let version):
            throw ChildFailure(
                "landlock",
                reason:
                    "expected version \(Self.least) or later in the kernel, found \(version == 0 ? "none" : "\(version)"), so the child could not be confined; use a kernel from 5.19 on that has Landlock among its security modules, or set \(Self.setting)=off to run plugins there with all rights"
            )
        }
    }

    // MARK: - On the command line of the child

    /// The same with access to files.
    func granting(_ access: FileAccess) -> Confinement {
        var confinement = self
        confinement.access = access
        return confinement
    }

    /// The confinement as words.
    var words: [String] { ["\(version)"] + access.words }

    /// Reads words; nil for none.
    package init?(words: ArraySlice<String>) {
        guard let version = words.first.flatMap({ Int32($0) }) else { return nil }
        self.version = version
        access = FileAccess(words: words.dropFirst())
    }

    /// Takes all other rights from this process, and closes all descriptors above 2 except those to keep; called by its only thread.
    ///
    /// - Throws: what the system refused; the process may have lost some rights by then.
    package func enter(keeping kept: [Int32]) throws(ChildFailure) {
        try Self.check("close_range", unsafe gatehouse_close_others(kept.sorted(), kept.count))
        try Self.check("capset", gatehouse_drop_capabilities())
        let changed = ["/dev/null", ScratchFolder.ofChild] + access.changed
        let paths = (access.read ?? ["/"]).map { ($0, false) } + changed.map { ($0, true) }
        let names = unsafe paths.map { unsafe strdup($0.0) }
        defer { unsafe names.forEach { unsafe free($0) } }
        let grants = unsafe zip(names, paths).map {
            unsafe gatehouse_grant(path: UnsafePointer($0), is_writable: $1.1)
        }
        try Self.check("landlock", unsafe gatehouse_confine_files(version, grants, grants.count))
        try Self.check(
            "seccomp",
            unsafe gatehouse_confine_calls(
                ChildFilter.program, ChildFilter.program.count, ChildFilter.ownProcess, false))
        Self.entered.store(true, ordering: .relaxed)
    }

    /// Takes from all threads of a confined child the right to map more code, and to start programs and processes; does nothing in a
    /// process that is not confined. Called when everything is loaded that is to run.
    ///
    /// - Throws: what the system refused, or that a thread of a plugin has bounds of its own, which nobody can add to.
    package static func closeCode() throws(ChildFailure) {
        guard isInForce else { return }
        let program = ChildFilter.loadedProgram
        try check(
            "seccomp", unsafe gatehouse_confine_calls(program, program.count, ChildFilter.ownProcess, true))
    }

    /// Throws for a call that gave minus an errno.
    private static func check(_ call: String, _ result: Int32) throws(ChildFailure) {
        if result < 0 { throw ChildFailure(call, code: -result) }
    }
}
