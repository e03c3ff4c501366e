// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseSDK
internal import Glibc
import Synchronization

/// Writes the lines of an instance, in the order of their actions, beside the store; waiting lines go to the disk together.
///
/// Callable from any thread.
final class LineWriter: Sendable {
    /// One waiting line.
    private struct Line: Sendable {
        /// The line with its line break.
        let bytes: [UInt8]
        /// Called when it is written, or with the reason why not.
        let done: @Sendable (FileFailure?) -> Void
    }

    /// The waiting lines.
    private struct Waiting: Sendable {
        /// The lines, in order.
        var lines: [Line] = []
        /// Their size in bytes, including those being written.
        var size = 0
    }

    /// The file, open or not yet.
    private struct Output: ~Copyable {
        /// The open file; nil before the first line, and after a failure.
        var file: LineFile?
        /// The period of the lines in it, if files are rotated by time.
        var period: Int?
    }

    /// The instance and its settings.
    private let context: File.Context
    /// The folder of the files; nil if the operator neither grants nor names one.
    private let folder: String?
    /// The waiting lines; the lock is not held during writes.
    private let waiting = Mutex(Waiting())
    /// The file; the lock is held during writes, only by the queues below.
    private let output = Mutex(Output())
    /// The queue that writes, one batch after the other.
    private let writing = DispatchQueue(label: "gatehouse.file")
    /// The queue that compresses, so that lines need not wait for it.
    private let tidying = DispatchQueue(label: "gatehouse.file.gzip")

    /// Creates a writer without opening anything.
    init(_ context: File.Context) {
        self.context = context
        folder = context.settings.directory.isEmpty ? context.dataDirectory : context.settings.directory
    }

    /// Compresses files left by an earlier run, and reports obstacles to writing.
    func start() {
        if context.settings.rotateEvery > 0, context.clock == nil {
            context.log(
                .warning, #"files are not rotated by time: grant "clock" in "lift"/"dependencies""#)
        }
        if let folder, context.settings.compress { tidy(folder) {} }
    }

    /// Closes the file after the waiting lines; a later line opens it again.
    func close() { writing.async { [self] in output.withLock { $0.file = nil } } }

    /// Returns the effect that writes one action, and emits an action only on failure.
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
                    "\(context.settings.queue) bytes are waiting for the disk; raise \"queue\", or write less"
                ))
        }
        return Effect.start { [self, bytes] _, output in
            append(
                Line(bytes: bytes) { [self] failure in
                    if let failure, let answer = answer(to: action, failure) { output.send(answer) }
                    output.finish()
                })
        }.finishing
    }

    /// Returns the effect that reports an action as not written, without trying.
    private func refusal(of action: AnyAction, _ failure: FileFailure) -> Effect<File.Context, AnyAction> {
        answer(to: action, failure).map { .just($0) } ?? .doNothing
    }

    /// Reports that an action was not written, and returns the failure action; nil if the action is itself one.
    private func answer(to action: AnyAction, _ failure: FileFailure) -> AnyAction? {
        context.count("failed")
        context.health(.failing(failure.message))
        context.failed(action, failure.message)
        // A file for all actions also takes these answers, and would answer each by another one.
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

    /// Queues a line for the disk.
    private func append(_ line: Line) {
        let isFirst = waiting.withLock { waiting in
            waiting.lines.append(line)
            return waiting.lines.count == 1
        }
        if isFirst { writing.async { [self] in writeAll() } }
    }

    /// Writes the waiting lines.
    private func writeAll() {
        let lines = waiting.withLock { waiting in
            defer { waiting.lines = [] }
            return waiting.lines
        }
        var rest = lines[...]
        // On a full disk, try each line by itself, because a smaller one may still find room.
        var most = Int.max
        while !rest.isEmpty { most = write(&rest, most: most) ? (most > Int.max / 2 ? most : most * 2) : 1 }
        let size = lines.reduce(0) { $0 + $1.bytes.count }
        waiting.withLock { $0.size -= size }
    }

    /// Writes as many lines as fit into one file, or reports why the first cannot be written; returns whether it was.
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
                // At least one: a line larger than the limit has a file of its own.
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
            let finish: @Sendable () -> Void = { for line in written { line.done(nil) } }
            // The end of a run waits for the line, and so for the files to be in order.
            if isRotated { tidy(folder, finish) } else { finish() }
            return true
        } catch {
            lines.removeFirst().done(error)
            return false
        }
    }

    /// Opens the file, and rotates it if its time or size demands it; returns whether it did.
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

    /// Opens the file, and creates its folder if necessary.
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
        // Data survives a power failure only together with the name of the file.
        if context.settings.durability == .power { LineFile.syncName(of: file.path) }
        if file.repaired > 0 {
            context.log(
                .warning,
                "\(file.path): \(file.repaired) bytes of a line without an end were removed, left by a crash"
            )
        }
        output.period = period(file.lastWrite)
        output.file = consume file
    }

    /// Creates a folder, with its name on the disk; returns false, with the reason in `errno`, if there is none afterwards.
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
