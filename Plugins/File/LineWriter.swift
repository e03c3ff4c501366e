// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK
internal import Glibc
import Synchronization

/// Writes the lines of an instance, in the order of their actions, beside the store: as many as wait go to the disk together.
///
/// Callable from any thread.
final class LineWriter: Sendable {
    /// One line that waits.
    private struct Line: Sendable {
        /// The line with its line break.
        let bytes: [UInt8]
        /// Told when it is written, or why it is not.
        let done: @Sendable (FileFailure?) -> Void
    }

    /// What waits.
    private struct Waiting: Sendable {
        /// The lines, in order.
        var lines: [Line] = []
        /// Their size in bytes, with that of those that are being written.
        var size = 0
    }

    /// The file, open or not yet.
    private struct Output: ~Copyable {
        /// The open file; nil before the first line, and after a failure.
        var file: LineFile?
        /// The period of the lines in it, where files are rotated by time.
        var period: Int?
    }

    /// The instance and its settings.
    private let context: File.Context
    /// Where the files are; nil where the operator grants no folder and names none.
    private let folder: String?
    /// What waits; the lock is not held while something is written.
    private let waiting = Mutex(Waiting())
    /// The file; the lock is held while something is written, by the queues below alone.
    private let output = Mutex(Output())
    /// Writes, one batch after the other.
    private let writing = DispatchQueue(label: "gatehouse.file")
    /// Compresses, so that lines need not wait for it.
    private let tidying = DispatchQueue(label: "gatehouse.file.gzip")

    /// Opens nothing yet.
    init(_ context: File.Context) {
        self.context = context
        folder = context.settings.directory.isEmpty ? context.dataDirectory : context.settings.directory
    }

    /// Compresses what an earlier run has left, and tells what would keep lines from being written.
    func start() {
        if context.settings.rotateEvery > 0, context.clock == nil {
            context.log(
                .warning, #"files are not rotated by time: grant "clock" in "lift"/"dependencies""#)
        }
        if let folder, context.settings.compress { tidy(folder) {} }
    }

    /// Closes the file behind what waits; a later line opens it again.
    func close() {
        writing.async { [self] in output.withLock { $0.file = nil } }
    }

    /// What writes one action, and emits nothing unless that fails.
    func effect(for action: AnyAction) -> Effect<File.Context, AnyAction> {
        var bytes: [UInt8] = []
        do throws(CodingFailure) {
            try action.writeWireForm(to: &bytes)
        } catch {
            return refusal(of: action, FileFailure(.systemError, "it has no JSON: \(error)"))
        }
        bytes.append(UInt8(ascii: "\n"))
        let size = bytes.count
        let hasRoom = waiting.withLock { waiting in
            guard waiting.size + size <= context.settings.queue else { return false }
            waiting.size += size
            return true
        }
        guard hasRoom else {
            return refusal(
                of: action,
                FileFailure(
                    .queueFull,
                    "\(context.settings.queue) bytes wait for the disk; raise \"queue\", or write less"))
        }
        return Effect.start { [self, bytes] _, output in
            append(
                Line(bytes: bytes) { [self] failure in
                    if let failure, let answer = answer(to: action, failure) { output.send(answer) }
                    output.finish()
                })
        }.finishing
    }

    /// What says that an action was not written, without trying.
    private func refusal(of action: AnyAction, _ failure: FileFailure) -> Effect<File.Context, AnyAction> {
        answer(to: action, failure).map { .just($0) } ?? .doNothing
    }

    /// Says that an action was not written, and gives the action that says so; nil where that is itself such an answer.
    private func answer(to action: AnyAction, _ failure: FileFailure) -> AnyAction? {
        context.count("failed")
        context.health(.failing(failure.message))
        context.failed(action, failure.message)
        // Where the file takes everything, it takes these answers too, and would answer each by another one.
        let isAnswer =
            action.isError
            && action.payload(at: JSONPointer(tokens: ["instance"])) == .string(context.instance)
        guard !isAnswer else { return nil }
        return AnyAction(
            "failed",
            payload: [
                "instance": .string(context.instance), "reason": .string(failure.reason.rawValue),
                "message": .string(failure.message), "action": (try? action.wireForm()) ?? .null,
            ], error: true)
    }

    // MARK: - Writing

    /// Lets a line wait for the disk.
    private func append(_ line: Line) {
        let isFirst = waiting.withLock { waiting in
            waiting.lines.append(line)
            return waiting.lines.count == 1
        }
        if isFirst { writing.async { [self] in writeAll() } }
    }

    /// Writes what waits.
    private func writeAll() {
        let lines = waiting.withLock { waiting in
            defer { waiting.lines = [] }
            return waiting.lines
        }
        var rest = lines[...]
        // Where the disk is full, each line is tried for itself, because a smaller one may still find room.
        var most = Int.max
        while !rest.isEmpty { most = write(&rest, most: most) ? (most > Int.max / 2 ? most : most * 2) : 1 }
        let size = lines.reduce(0) { $0 + $1.bytes.count }
        waiting.withLock { $0.size -= size }
    }

    /// Writes as many lines as go into one file, or tells why the first cannot be written; returns whether it was.
    private func write(_ lines: inout ArraySlice<Line>, most: Int) -> Bool {
        let settings = context.settings
        do throws(FileFailure) {
            guard let folder else {
                throw FileFailure(
                    .noDataFolder,
                    "the instance has no folder for its file; grant it \"data\" in \"lift\"/\"dependencies\", or set \"directory\""
                )
            }
            let now = context.clock?.unixTime()
            let (batch, isRotated) = try output.withLock { output throws(FileFailure) in
                let isRotated = try prepare(&output, folder, now, next: lines.first?.bytes.count ?? 0)
                let room =
                    settings.maximumSize == 0 ? Int.max : settings.maximumSize - (output.file?.size ?? 0)
                var bytes: [UInt8] = []
                // At least one: a line that is larger than a file may be has a file of its own.
                for line in lines.prefix(most) {
                    let size = bytes.count + line.bytes.count
                    guard bytes.isEmpty || (size <= room && size <= 1 << 20) else { break }
                    bytes += line.bytes
                }
                var written = 0
                do throws(FileFailure) {
                    written = try output.file?.append(bytes, sync: settings.durability == .power) ?? 0
                } catch {
                    output.file = nil
                    throw error
                }
                var count = 0
                for line in lines where written > 0 {
                    written -= line.bytes.count
                    count += 1
                }
                return (count, isRotated)
            }
            let written = lines.prefix(batch)
            lines = lines.dropFirst(batch)
            context.count("lines", by: batch)
            context.health(.ok)
            if isRotated {
                // The end of a run waits for the line, and so for the files to be in order.
                tidy(folder) { for line in written { line.done(nil) } }
            } else {
                for line in written { line.done(nil) }
            }
            return true
        } catch {
            lines.removeFirst().done(error)
            return false
        }
    }

    /// Opens the file, and rotates it when its time or size says so; returns whether it did.
    private func prepare(
        _ output: inout Output, _ folder: String, _ now: Double?, next: Int
    ) throws(FileFailure) -> Bool {
        let settings = context.settings
        let period: (Double) -> Int? = { time in
            settings.rotateEvery > 0 ? Int((time / Double(settings.rotateEvery)).rounded(.down)) : nil
        }
        if let file = output.file.take() { output.file = file.isInPlace() ? consume file : nil }
        if output.file == nil { try open(&output, folder, period) }
        let size = output.file?.size ?? 0
        let isLarge = settings.maximumSize > 0 && size + next > settings.maximumSize
        let isOld = now.map { period($0) != output.period } ?? false
        guard size > 0, isLarge || isOld else {
            output.period = now.flatMap(period)
            return false
        }
        _ = try RotatedFiles(folder: folder, name: settings.file).rotate()
        context.count("rotations")
        output.file = nil
        try open(&output, folder, period)
        output.period = now.flatMap(period)
        return true
    }

    /// Opens the file, and its folder where it is missing.
    private func open(
        _ output: inout Output, _ folder: String, _ period: (Double) -> Int?
    ) throws(FileFailure) {
        if !Self.makeFolder(folder) {
            let code = errno
            // The folder of all data may be missing too.
            let parent = folder.split(separator: "/").dropLast().joined(separator: "/")
            guard code == ENOENT, context.settings.directory.isEmpty,
                Self.makeFolder((folder.hasPrefix("/") ? "/" : "") + parent), Self.makeFolder(folder)
            else { throw FileFailure(path: folder, code: code) }
        }
        let file = try LineFile(path: "\(folder)/\(context.settings.file)")
        // What is written outlives the power only together with the name of the file.
        if context.settings.durability == .power { LineFile.syncName(of: file.path) }
        if file.repaired > 0 {
            context.log(
                .warning,
                "\(file.path): \(file.repaired) bytes of a line without an end were removed, which an accident has left"
            )
        }
        output.period = period(file.lastWrite)
        output.file = consume file
    }

    /// Makes a folder, whose name is on the disk when this returns; false, with the reason in `errno`, when there is none then.
    private static func makeFolder(_ folder: String) -> Bool {
        guard unsafe mkdir(folder, 0o750) == 0 else { return errno == EEXIST }
        LineFile.syncName(of: folder)
        return true
    }

    /// Compresses and deletes rotated files beside the writing, and calls back.
    private func tidy(_ folder: String, _ done: @escaping @Sendable () -> Void) {
        tidying.async { [self] in
            do throws(FileFailure) {
                try RotatedFiles(folder: folder, name: context.settings.file).tidy(
                    compress: context.settings.compress, keep: context.settings.keep)
            } catch {
                context.log(.error, "\(error.message); the rotated file stays as it is")
            }
            done()
        }
    }
}
