// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Somebody who does what a part of a document says, and compares.
///
/// - A block `json NAME`, or of another kind that is a file, is written to that file; what stands before it must name it.
/// - A block `console` is typed, the lines after `$ `; what stands below must be printed, and nothing else. Lines after `> `
///   belong to the command above.
/// - A block `console NAME` is another terminal: its last command may go on, and a later block may begin with what it
///   prints then. It must have ended at the end of the part.
/// - A command that ends with another exit code than 0 must be followed by `echo $?`.
/// - A line with nothing but `…` stands for any number of lines. What differs from run to run is in `constant`.
struct GuideRun {
    private let folder: TemporaryFolder
    /// Paths in the document, each with where it is here.
    private let places: [(path: String, here: String)]
    private var terminals: [String: GuideTerminal] = [:]

    /// Prepares a fresh folder, and a place where the program and the bundled plugins are installed.
    init(_ session: GuidePage.Session) throws {
        folder = try TemporaryFolder()
        for name in [
            "work", "run", "usr", "usr/bin", "usr/lib", "usr/lib/gatehouse", "usr/lib/gatehouse/plugins",
        ] {
            _ = try folder.makeFolder(name)
        }
        places = [("/usr/local", folder("usr")), ("/run/user/1000", folder("run"))]
        try FileSystem.link(folder("usr/bin/gatehouse"), to: BuiltProducts.program)
        for name in ["Counter", "CrashReports", "Logger", "Persistence", "Rules"] {
            try folder.copyLibrary(name + "Plugin", as: "usr/lib/gatehouse/plugins/lib\(name)Plugin.so")
        }
        guard session.mentions("builds/") else { return }
        // Two versions of a plugin, as whoever builds it would bring them.
        _ = try folder.makeFolder("work/builds")
        for (version, target) in [("1.0.0", "MigrantOnePlugin"), ("2.0.0", "MigrantTwoPlugin")] {
            _ = try folder.makeFolder("work/builds/" + version)
            try folder.copyLibrary(target, as: "work/builds/\(version)/libMigrantPlugin.so")
        }
    }

    /// Does what a block says.
    mutating func follow(_ block: GuidePage.Block) throws {
        switch block.kind {
        case "console": try type(block)
        case "sh", "ini": break
        default:
            #expect(
                !block.name.isEmpty, "line \(block.line): expected the name of a file after \(block.kind)")
            #expect(
                block.lead.contains("`\(block.name)`"),
                "line \(block.line): nothing says that this is \(block.name)")
            try folder.write(here(block.lines.joined(separator: "\n") + "\n"), to: "work/" + block.name)
        }
    }

    /// Waits for the ends of all terminals, in which nothing may stand that the document does not show.
    func end() throws {
        for (name, terminal) in terminals.sorted(by: { $0.key < $1.key }) {
            let left = try terminal.finishCommand()
            #expect(left == [], "the terminal \(name) shows more at the end")
            #expect(terminal.code == 0, "the last command of the terminal \(name)")
            try terminal.leave()
        }
    }

    // MARK: - Implementation details

    /// Types the commands of a block, and compares what is printed.
    private mutating func type(_ block: GuidePage.Block) throws {
        let terminal = try terminal(block.name)
        var line = block.line
        var rest = block.lines[...]
        if !terminal.isBusy, rest.first?.hasPrefix("$ ") != true {
            Issue.record("line \(block.line): nothing runs here that could print this")
        }
        while !rest.isEmpty {
            line += 1
            if rest.first?.hasPrefix("$ ") == true {
                #expect(
                    try terminal.finishCommand() == [], "line \(line): more was printed before this command")
                var command = [String(rest.removeFirst().dropFirst(2))]
                while rest.first?.hasPrefix("> ") == true {
                    command.append(String(rest.removeFirst().dropFirst(2)))
                }
                #expect(
                    terminal.code == 0 || command == ["echo $?"],
                    "line \(line): the command before ended with \(terminal.code), which nothing shows")
                terminal.type(here(command.joined(separator: "\n")))
                line += command.count - 1
            }
            let expected = rest.prefix { !$0.hasPrefix("$ ") }
            rest = rest.dropFirst(expected.count)
            let isLast = rest.isEmpty && !block.name.isEmpty
            let found = try (isLast ? terminal.lines(expected.count) : terminal.finishCommand()).map(
                inDocument)
            if !Self.agrees(found[...], expected) {
                Issue.record(
                    "line \(line): expected\n\(expected.joined(separator: "\n"))\nfound\n\(found.joined(separator: "\n"))"
                )
            }
            line += expected.count
        }
    }

    /// The terminal of a name, opened when it is first used.
    private mutating func terminal(_ name: String) throws -> GuideTerminal {
        if let terminal = terminals[name] { return terminal }
        let terminal = try GuideTerminal(
            in: folder("work"),
            environment: [
                "PATH": folder("usr/bin") + ":/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                "CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder("run"),
            ])
        terminals[name] = terminal
        return terminal
    }

    /// A text of the document with the paths of this place.
    private func here(_ text: String) -> String {
        places.reduce(text) { $0.replacing($1.path, with: $1.here) }
    }

    /// A line that was printed, with the paths of the document.
    private func inDocument(_ line: String) -> String {
        places.reduce(line) { $0.replacing($1.here, with: $1.path) }
    }

    /// Whether lines are as expected.
    static func agrees(_ found: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
        guard let line = expected.first else { return found.isEmpty }
        if line == "…" {
            return agrees(found, expected.dropFirst())
                || !found.isEmpty && agrees(found.dropFirst(), expected)
        }
        guard let first = found.first, constant(first) == constant(line) else { return false }
        return agrees(found.dropFirst(), expected.dropFirst())
    }

    /// A line without what differs from run to run.
    private static func constant(_ line: String) -> String {
        line.replacing(/process \d+/, with: "process N")
            .replacing(/up (\d+ (d|h|min|s) ?)+/, with: "up TIME")
            .replacing(/after \d+ ms/, with: "after N ms")
            .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "MOMENT")
            .replacing(/\d+ bytes/, with: "N bytes")
            .replacing(/[0-9a-f]{64}/, with: "DIGEST")
            .replacing(/swap [0-9a-f]{12}/, with: "swap DIGEST")
            .replacing(/\d+ clients?/, with: "N clients")
            .replacing(/"at": ?[\d.]+/, with: "\"at\":N")
            .replacing(/[\d.]+ actions\/s/, with: "N actions/s")
            // How long the lease of a member still goes on, its plugins and its process.
            .replacing(
                /^(?<name>\w+ +\w+) +\d\.\d s +(?<count>\d+ +\d+) +[0-9a-f]{8} +(?<version>[\d.]+) +\d+$/
            ) { "\($0.name) LEASE \($0.count) PLUGINS \($0.version) PROCESS" }
            .replacing(/\d+ checkpoints of [\d.]+ ms/, with: "N checkpoints of N ms")
            // What one does in a second, and how long that takes.
            .replacing(/^(?<start>INSTANCE .* TIME.*)$/) {
                $0.start.split(separator: " ").joined(separator: " ")
            }
            .replacing(/\ +[\d.]+k? +[\d.]+k? +(-|[\d.]+ (ns|µs|ms))(?<rest> +\d+ +\d+ +\d+)$/) {
                " RATES TIME\($0.rest)"
            }
    }
}
