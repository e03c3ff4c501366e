// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Processor time of one line of input, in the built host and in others that read JSON lines.
///
/// Each program runs once more without lines, and what that costs is taken off.
enum LineBenchmark {
    /// A program that reads lines.
    private struct Reader {
        let name: String
        let lines: InputLines
        /// What the name of the input is appended to.
        let command: [String]
        var least = ChildProcess.Cost()
        var leastWithoutLines = ChildProcess.Cost()
    }

    /// The word that makes this program a child that parses with simdjson.
    static let word = "simdjson"
    private static let simdjson = "simdjson's DOM"
    private static let rounds = 4

    /// - Parameter builds: the folder with the host's release build.
    static func rows(_ builds: String) throws -> [Row] {
        let folder = try TemporaryFolder()
        let configuration = try folder.write(InputLines.configuration(builds), to: "plugins.json")
        let empty = try folder.write("", to: "empty.ndjson")
        let inputs = try Dictionary(
            uniqueKeysWithValues: [InputLines.nobody, .counters, .webhook].map {
                ($0, try folder.write($0.text(count($0)), to: $0.rawValue + ".ndjson"))
            })
        var readers = self.readers(builds, configuration)
        for _ in 0..<rounds {
            for index in readers.indices {
                let reader = readers[index]
                let input = inputs[reader.lines] ?? empty
                readers[index].least = reader.least.least(try ChildProcess.run(reader.command + [input]))
                readers[index].leastWithoutLines = reader.leastWithoutLines.least(
                    try ChildProcess.run(reader.command + [empty]))
            }
        }
        return readers.map { reader in
            let peers = readers.filter { $0.lines == reader.lines && $0.name != reader.name }
            let time = nanoseconds(reader)
            var ratios: [Row.Ratio] = []
            for peer in peers where isPeer(peer, of: reader) {
                ratios.append(Row.Ratio(times: time / nanoseconds(peer), of: peer.name))
            }
            return Row("lines", reader.name, time, "ns CPU", ratios: ratios)
        }
    }

    // MARK: - Implementation details

    private static func count(_ lines: InputLines) -> Int { lines == .webhook ? 6_000 : 200_000 }

    private static func readers(_ builds: String, _ configuration: String) -> [Reader] {
        func host(_ print: String) -> [String] {
            [builds + "/gatehouse", "run", "--config", configuration, "--print", print, "--input"]
        }
        let itself = [CommandLine.arguments[0], word]
        var readers = [
            Reader(name: simdjson + ", 120 bytes", lines: .nobody, command: itself),
            Reader(name: "nobody hears", lines: .nobody, command: host("none")),
            Reader(name: "--print actions", lines: .nobody, command: host("actions")),
            Reader(name: simdjson + ", 120 bytes of counters", lines: .counters, command: itself),
            Reader(name: "four typed counters", lines: .counters, command: host("none")),
            Reader(name: simdjson + ", 8 KB", lines: .webhook, command: itself),
            Reader(name: "webhooks that nobody hears", lines: .webhook, command: host("none")),
        ]
        if let jq = ChildProcess.find("jq") {
            readers.append(Reader(name: "jq -c .", lines: .nobody, command: [jq, "-c", "."]))
        }
        if let node = ChildProcess.find("node") {
            readers.append(
                Reader(name: "Node: JSON.parse and a reducer", lines: .counters, command: [node, "-e", loop]))
        }
        return readers
    }

    /// Whether a row says how many times the other it is: simdjson for all, jq for what prints, Node for what reduces.
    private static func isPeer(_ peer: Reader, of reader: Reader) -> Bool {
        guard reader.command.contains("run") else { return false }
        if peer.name.hasPrefix(simdjson) { return true }
        return reader.name == "--print actions" && peer.name.hasPrefix("jq")
            || reader.name == "four typed counters" && peer.name.hasPrefix("Node")
    }

    private static func nanoseconds(_ reader: Reader) -> Double {
        (reader.least.processor - reader.leastWithoutLines.processor) * 1e9 / Double(count(reader.lines))
    }

    /// Four counts in one object, replaced as reducers without side effects do.
    private static let loop = """
        const text = require('fs').readFileSync(process.argv[1], 'latin1');
        let state = { c0: 0, c1: 0, c2: 0, c3: 0 };
        const reduce = (state, action) => action.type !== 'c/increment' ? state : {
            c0: state.c0 + action.payload.by, c1: state.c1 + action.payload.by,
            c2: state.c2 + action.payload.by, c3: state.c3 + action.payload.by };
        for (let start = 0, end; (end = text.indexOf('\\n', start)) >= 0; start = end + 1)
            state = reduce(state, JSON.parse(text.slice(start, end)));
        console.log(JSON.stringify(state));
        """
}
