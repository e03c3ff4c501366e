// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
private import GatehouseManifest
public import GatehouseSupport
private import Glibc

/// A file that others write to, and whichever takes its place; remembers how far it was read.
///
/// It is made before a run and then belongs to the thread that dispatches.
public final class FollowedFile {
    /// What there is to read when a file was read to its end.
    enum Next {
        /// Nothing but what is still to be written.
        case none
        /// What may have been written just before another file took its place.
        case rest
        /// What another file contains that stands under the name now.
        case other
    }

    /// The path, which is the name in messages too.
    public let name: String
    /// What its lines may carry.
    let rules: InputConfiguration
    /// Tells when to look.
    let changes: FolderChanges
    /// Where the place is remembered; nil for nowhere.
    private let memory: String?
    /// The file that is read; -1 before the first.
    private var descriptor: Int32 = -1
    /// Which file that is; nil while there is none.
    private var identity: SystemFile.Identity?
    /// Where in it the reading began.
    private var start = 0
    /// Whether another file has been seen in its place.
    private var isReplaced = false
    /// What was done with, and what of it is remembered.
    private var place: (done: FilePlace, saved: FilePlace?)?
    /// When the place was remembered last.
    private var lastSaved: ContinuousClock.Instant?
    /// Whether it is looked at after a while.
    private var isScheduled = false
    /// Whether it was told that the place cannot be remembered.
    private var hasToldFailure = false

    /// The place is written at most once in this time.
    private static let pause = Duration.seconds(1)

    /// Follows a path; there need not be a file yet, but the folder.
    ///
    /// - Parameter folder: where places are remembered, in a file for each path.
    /// - Throws: the system's reason not to tell of changes in the folder.
    public init(
        _ path: String, rememberingIn folder: String?, rules: InputConfiguration = InputConfiguration()
    ) throws(SystemFailure) {
        name = path
        self.rules = rules
        var paths = [path]
        if let real = unsafe realpath(path, nil) {
            unsafe paths.append(String(cString: real))
            unsafe free(real)
        }
        changes = try FolderChanges()
        do {
            for path in paths { try changes.add(SystemFile.parts(of: path).folder) }
        } catch {
            changes.close()
            throw error
        }
        let absolute = path.hasPrefix("/") ? path : SystemFile.currentFolder + "/" + path
        memory = folder.map {
            $0 + "/tail-" + SHA256.digest(Array(absolute.utf8)).hex.prefix(16) + ".json"
        }
    }

    // MARK: - Files

    /// Whether there is a file that can be read.
    var isThere: Bool { identity != nil }

    /// Opens the file that is to be read: at first the one that was read last time, from where that ended.
    func begin(maximumLineBytes: Int) -> ActionInput {
        let isFirst = descriptor < 0
        var remembered = isFirst ? memory.flatMap { FilePlace(in: $0) } : nil
        if !isFirst { close(descriptor) }
        isReplaced = false
        identity = nil
        start = 0
        descriptor = Self.open(name)
        if let found = remembered, Self.identity(of: descriptor) != found.identity {
            if let renamed = Self.find(found.identity, beside: name) {
                close(descriptor)
                descriptor = renamed
            } else {
                remembered = nil
            }
        }
        if descriptor >= 0 {
            identity = Self.identity(of: descriptor)
        } else {
            // Nothing to read yet.
            descriptor = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
        }
        if let found = remembered, found.identity == identity, Self.size(of: descriptor) >= found.offset,
            lseek(descriptor, off_t(found.offset), SEEK_SET) >= 0
        {
            start = found.offset
            place = (found, found)
        } else {
            remembered = nil
        }
        return ActionInput(
            descriptor: descriptor, name: name, kind: .growing, maximumLineBytes: maximumLineBytes,
            linesBefore: remembered?.lines ?? 0)
    }

    /// Whether another file is to be read, after so many bytes of this one.
    func next(after bytesRead: Int) -> Next {
        guard let now = SystemFile.identity(name) else { return .none }
        if now == identity {
            isReplaced = false
            return Self.size(of: descriptor) < start + bytesRead ? .other : .none
        }
        guard identity != nil, !isReplaced else { return .other }
        isReplaced = true
        return .rest
    }

    /// Opens a plain file; -1 for anything else.
    private static func open(_ path: String) -> Int32 {
        (try? SystemFile.openRegular(path).descriptor) ?? -1
    }

    /// The identity of an open file.
    private static func identity(of descriptor: Int32) -> SystemFile.Identity? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return SystemFile.Identity(device: status.st_dev, number: status.st_ino)
    }

    /// The size of an open file.
    private static func size(of descriptor: Int32) -> Int {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Opens the file that was read last time, which may have been renamed since; nil when it is not in the folder.
    private static func find(_ identity: SystemFile.Identity, beside path: String) -> Int32? {
        let (folder, _) = SystemFile.parts(of: path)
        guard let opened = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(opened) }
        for name in unsafe SystemFile.names(in: opened) {
            let candidate = folder + "/" + name
            guard SystemFile.identity(candidate) == identity else { continue }
            let descriptor = open(candidate)
            if Self.identity(of: descriptor) == identity { return descriptor }
            close(descriptor)
        }
        return nil
    }

    // MARK: - The place

    /// Takes note of how far the file was read; returns after which time that is to be saved, nil for nothing to do.
    func note(_ lines: borrowing ActionInput) -> Duration? {
        guard memory != nil, let identity else { return nil }
        let done = FilePlace(identity: identity, offset: start + lines.bytesDone, lines: lines.lines)
        place = (done, place?.saved)
        guard done != place?.saved else { return nil }
        let left = lastSaved.map { Self.pause - $0.duration(to: .now) } ?? .zero
        guard left > .zero else { return .zero }
        guard !isScheduled else { return nil }
        isScheduled = true
        return left
    }

    /// Remembers the place; returns what keeps it from being remembered, once.
    func save() -> String? {
        isScheduled = false
        lastSaved = .now
        guard let memory, let (done, _) = place else { return nil }
        place = (done, done)
        do {
            try done.write(to: memory, of: name)
            return nil
        } catch {
            defer { hasToldFailure = true }
            return hasToldFailure
                ? nil
                : "\(name): how far it was read cannot be kept in \(memory): \(error); the next run may read lines again"
        }
    }

    /// Remembers how far the file was read in the end, and lets go of it.
    func end(_ lines: borrowing ActionInput) {
        if note(lines) != nil || isScheduled { _ = save() }
        close(descriptor)
    }
}
