// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSupport
private import Glibc

/// How a process of a worker has ended that was not asked to, as far as that can be known.
struct WorkerDeath {
    /// What happened, as the end of "its worker …", without the action in hand.
    let reason: String
    /// What decides about what follows.
    let facts: DeathCount.Facts
    /// The action in hand, as it follows the reason; empty for none.
    let place: String
    /// What the plugin said last, in parentheses after a blank; empty for nothing.
    let words: String
    /// Where it was, a line for each call, the innermost first; empty where the process could not tell.
    let calls: [String]

    /// Reads what a process has left.
    ///
    /// - Parameters:
    ///   - objection: why it was ended; nil where it has ended by itself.
    ///   - record: what its flight recorder tells.
    ///   - isAtStart: whether it had not made all of its instances.
    ///   - program: the program that it ran, with its libraries beside it.
    ///   - images: the libraries of its instances, each by a path of this process and by its name.
    init(
        _ outcome: HostChild.Outcome, objection: String?, record: FlightRecord?, isAtStart: Bool = false,
        program: String = HostChild.ownProgram, images: [(path: String, name: String)]
    ) {
        reason = objection ?? outcome.end.text ?? "ended"
        // Whoever kills it from outside does not mean the action in hand, unless it is the same again and again.
        facts = DeathCount.Facts(
            isChance: objection == nil && [.signal(SIGKILL), .starved].contains(outcome.end),
            sequence: record?.sequence, wasInPlugin: record?.step != nil || isAtStart)
        place =
            record?.sequence.map { " at action \($0.grouped)" + (record?.type.map { ", \($0)" } ?? "") } ?? ""
        words = Backtrace.lines(in: outcome.words, library: "lib").first.map { " (\($0))" } ?? ""
        calls = CodePlace.lines(of: Self.calls(in: outcome.words, images, of: program), most: Self.shown)
    }

    /// How many calls are shown at most.
    private static let shown = 8
    /// How many calls are read at most.
    private static let most = 32
    /// How a line begins in which a process tells a call.
    private static let mark = "gatehouse call: "

    /// What has happened and where, as the end of "its worker …".
    var text: String { reason + place }

    /// Finds the calls that a process has told, with their lines: of files that this process knows, whatever the words name.
    private static func calls(
        in words: String, _ images: [(path: String, name: String)], of program: String
    ) -> [CodePlace] {
        told(in: words).map { name, offset in
            if let image = images.first(where: { SystemFile.parts(of: $0.path).name == name }) {
                return CodePlace(at: offset, in: image.path, library: image.name, isPlugin: true)
            }
            return CodePlace(
                at: offset, in: name.isEmpty ? program : path(of: name, beside: program),
                library: name.isEmpty ? "gatehouse" : name, isPlugin: false)
        }
    }

    /// The path of a library of the process; nil for one that is neither this process's nor beside the program of another version.
    private static func path(of name: String, beside program: String) -> String? {
        let beside = SystemFile.parts(of: program).folder + "/" + name
        return program != HostChild.ownProgram && SystemFile.status(beside) != nil
            ? beside : LoadedLibraries.host.path(of: name)
    }

    /// The calls that a process has told, by the names of their files and the offsets there, the innermost first.
    private static func told(in words: String) -> [(name: String, offset: UInt64)] {
        words.split(separator: "\n").filter { $0.hasPrefix(mark) }.prefix(most).compactMap { line in
            let call = line.dropFirst(mark.count)
            guard let plus = call.lastIndex(of: "+"), call[plus...].hasPrefix("+0x"),
                let offset = UInt64(call[plus...].dropFirst(3), radix: 16)
            else { return nil }
            return (String(call[..<plus]), offset)
        }
    }

    /// Which of several libraries the innermost call of one was in, as a process has told; several where their files have one name, and
    /// none where no call was in any.
    static func callees(in words: String, among images: [(path: String, name: String)]) -> [Int] {
        let files = images.map { SystemFile.parts(of: $0.path).name }
        guard let inner = told(in: words).first(where: { files.contains($0.name) })?.name else { return [] }
        return files.indices.filter { files[$0] == inner }
    }
}
