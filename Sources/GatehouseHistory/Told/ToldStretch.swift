// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
package import GatehousePlan
internal import GatehouseRuntime
package import GatehouseSupport
private import Glibc

/// A stretch of the past that lines tell, in a journal of its own, so that whatever looks at a journal can look at lines.
///
/// Lines are actions of the past as `gatehouse history --json` tells them, and actions as a socket takes them. The journal numbers them
/// from 1 on in their order; it has no generations and no state from before them. So does that of inputs which somebody else has kept, but
/// that it may have such a state.
package final class ToldStretch {
    /// The folder of the journal.
    package let journal: String
    /// The number of the last action before the stretch; 0 where it begins with the initial state.
    package let start: UInt64
    /// Whether every line tells an action of the past: only then does the journal have what followed from each.
    package let isRecorded: Bool
    /// Holds the journal; removed with this object.
    private let scratch: ScratchFolder

    /// Reads lines to their end, and writes their journal.
    ///
    /// - Parameters:
    ///   - path: the file with the lines; `-` is standard input.
    ///   - stop: ends the reading when it is asked.
    /// - Throws: why nothing can be looked at: of wrong lines all together.
    package init(path: String, stop: StopRequest) throws(ToldStretchFailure) {
        let name = path == "-" ? "standard input" : path
        let file = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .opening(input: name, code: errno) }
        defer { if file != STDIN_FILENO { close(file) } }
        if let found = Self.other(file) { throw .other(input: name, found: found) }
        do throws(ChildFailure) { scratch = try ScratchFolder() } catch { throw .folder(error) }
        journal = scratch.path + "/journal"
        start = 0
        var writing: ToldStretchWriting
        do throws(JournalFailure) {
            writing = try ToldStretchWriting(folder: journal, input: name)
        } catch {
            throw .journal(error)
        }
        var reader = LineReader(descriptor: file, name: name, wakeDescriptor: stop.descriptor)
        var isAtEnd = false
        do throws(IngressError) {
            while !isAtEnd {
                switch try reader.next() {
                case .line(let line):
                    let line = line.number == 1 ? line.withoutByteOrderMark : line
                    writing.take(unsafe Array(line.bytes), line.number)
                case .tooLong(let line, let bytes): writing.refuse(line: line, bytes: bytes)
                case .end: isAtEnd = true
                case .interrupted, .dry: throw IngressError.waiting(input: name, code: EINTR)
                }
            }
        } catch {
            writing.abandon()
            if stop.isAsked { throw .interrupted(input: name) }
            throw .reading(error)
        }
        isRecorded = try writing.end()
        guard writing.count > 0 else { throw .empty(input: name) }
    }

    /// Writes the journal of inputs that somebody else has kept, with the state from before them.
    ///
    /// - Parameters:
    ///   - name: of whoever has kept them.
    ///   - state: the state from before them; nil for the initial one.
    ///   - sequence: the number of the last action in that state; 0 for the initial one.
    ///   - fill: passes on the inputs in order, each with when it came, in seconds since 1970.
    /// - Throws: that the journal cannot be written, or that of `fill`.
    package init(
        of name: String, from state: SavedState?, behind sequence: UInt64,
        _ fill: (_ take: (_ action: [UInt8], _ time: Double) -> Void) throws(ToldStretchFailure) -> Void
    ) throws(ToldStretchFailure) {
        do throws(ChildFailure) { scratch = try ScratchFolder() } catch { throw .folder(error) }
        journal = scratch.path + "/journal"
        start = sequence
        isRecorded = false
        var writing: ToldStretchWriting
        do throws(JournalFailure) {
            writing = try ToldStretchWriting(folder: journal, input: name, from: state, behind: sequence)
        } catch {
            throw .journal(error)
        }
        do throws(ToldStretchFailure) {
            try fill { writing.take($0, at: $1) }
        } catch {
            writing.abandon()
            throw error
        }
        _ = try writing.end()
    }

    /// What a file is in the place of lines; nil where it may have some.
    private static func other(_ file: Int32) -> String? {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { return nil }
        if status.st_mode & S_IFMT == S_IFDIR { return "a folder" }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        let mark = Array("SQLite format 3\0".utf8)
        var start = [UInt8](repeating: 0, count: mark.count)
        return unsafe pread(file, &start, start.count, 0) == mark.count && start == mark
            ? "the file of a journal" : nil
    }
}
