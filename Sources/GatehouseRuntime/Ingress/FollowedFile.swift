// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
private import GatehouseManifest
package import GatehousePlan
private import GatehouseSDK
package import GatehouseSupport
private import Glibc

/// A file that others write to and replace; stores how far it was read.
///
/// Created before a run; then belongs to the thread that dispatches.
package final class FollowedFile {
    /// What to read after the end of a file.
    package enum Next {
        /// Nothing until more is written.
        case none
        /// The rest that may have been written just before another file replaced this one.
        case rest
        /// Another file that has the name now.
        case other
    }

    /// The path, which is also the name in messages.
    package let name: String
    /// The rules for its lines.
    package let rules: InputConfiguration
    /// Signals when to look.
    package let changes: FolderChanges
    /// The file that stores the place; nil for none.
    private let memory: String?
    /// The file being read; -1 before the first.
    private var descriptor: Int32 = -1
    /// The identity of that file; nil without one.
    private var identity: SystemFile.Identity?
    /// The offset at which the reading began.
    private var start = 0
    /// Whether another file has been seen in its place.
    private var isReplaced = false
    /// The place of finished lines, and the stored one.
    private var place: (done: FilePlace, saved: FilePlace?)?
    /// When the place was last stored.
    private var lastSaved: ContinuousClock.Instant?
    /// Whether storing the place is scheduled.
    private var isScheduled = false
    /// Whether a failure to store the place was reported.
    private var hasToldFailure = false

    /// The shortest interval between writes of the place.
    private static let pause = Duration.seconds(1)

    /// Follows a path; the folder must exist, the file need not.
    ///
    /// - Parameter folder: where places are stored, in a file for each path.
    /// - Throws: the system's reason for not watching the folder.
    package init(
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

    /// Whether there is a readable file.
    package var isThere: Bool { identity != nil }

    /// Opens the file to read: at first the one read last time, from where that ended.
    package func begin(on terms: ReadingTerms) -> ActionInput {
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
            descriptor: descriptor, name: name, kind: .growing, on: terms,
            linesBefore: remembered?.lines ?? 0)
    }

    /// Returns what to read after this many bytes of the current file.
    package func next(after bytesRead: Int) -> Next {
        guard let now = SystemFile.identity(name) else { return .none }
        if now == identity {
            isReplaced = false
            return Self.size(of: descriptor) < start + bytesRead ? .other : .none
        }
        guard identity != nil, !isReplaced else { return .other }
        isReplaced = true
        return .rest
    }

    /// Opens a regular file; -1 for anything else.
    private static func open(_ path: String) -> Int32 { (try? SystemFile.openRegular(path).descriptor) ?? -1 }

    /// Returns the status of an open file; nil where there is none.
    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Returns the identity of an open file.
    private static func identity(of descriptor: Int32) -> SystemFile.Identity? {
        status(of: descriptor).map { SystemFile.Identity(device: $0.st_dev, number: $0.st_ino) }
    }

    /// Returns the size of an open file.
    private static func size(of descriptor: Int32) -> Int { Int(status(of: descriptor)?.st_size ?? 0) }

    /// Opens the file that was read last time, which may have been renamed; nil when it is not in the folder.
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

    /// Records how far the file was read; returns the delay until that must be saved, nil for nothing to do.
    package func note(_ lines: borrowing ActionInput) -> Duration? {
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

    /// Stores the place, unless it is stored; returns why that failed.
    package func save() -> String? {
        isScheduled = false
        lastSaved = .now
        guard let memory, let (done, saved) = place, done != saved else { return nil }
        do {
            try done.write(to: memory, of: name)
        } catch {
            return
                "\(name): its read position cannot be saved in \(memory): \(error); the next run may read lines again"
        }
        place = (done, done)
        hasToldFailure = false
        return nil
    }

    /// Stores the place; returns why that failed, where it did not the last time.
    package func saveTellingOnce() -> String? {
        let isKnown = hasToldFailure
        let failure = save()
        hasToldFailure = failure != nil
        return isKnown ? nil : failure
    }

    /// Stores the place that was noted last, and closes the file; returns why the place cannot be stored, unless that is known.
    ///
    /// What was read after that may not be in the journal.
    package func end() -> String? {
        defer { close(descriptor) }
        return saveTellingOnce()
    }
}

/// The position in a file, stored from one run to the next.
struct FilePlace: Equatable {
    /// The identity of the file, whatever its name is now.
    var identity: SystemFile.Identity
    /// The number of bytes in finished lines.
    var offset: Int
    /// The number of finished lines.
    var lines: Int

}

extension FilePlace {
    /// Reads a stored place; nil when there is none, or it is invalid.
    init?(in path: String) {
        guard let bytes = try? SystemFile.bytes(of: path, limit: 1 << 16),
            let value = try? JSONText.parse(bytes),
            let device = value["device"]?.stringValue.flatMap({ UInt64($0) }),
            let inode = value["inode"]?.stringValue.flatMap({ UInt64($0) }),
            let offset = value["offset"]?.intValue, let lines = value["lines"]?.intValue,
            offset >= 0, lines >= 0
        else { return nil }
        self.init(
            identity: SystemFile.Identity(device: dev_t(device), number: ino_t(inode)), offset: offset,
            lines: lines)
    }

    /// Stores the place of a file in a separate file, atomically, creating folders as needed.
    ///
    /// - Parameter followed: the path of the followed file, for people.
    func write(to path: String, of followed: String) throws(SystemFailure) {
        // As texts, because not every JSON reader has 64-bit numbers.
        let value: Value = [
            "file": .string(followed), "device": .string("\(identity.device)"),
            "inode": .string("\(identity.number)"), "offset": .integer(Int64(offset)),
            "lines": .integer(Int64(lines)),
        ]
        let (folder, _) = SystemFile.parts(of: path)
        let parent = SystemFile.parts(of: folder).folder
        for folder in [parent, folder] { try SystemFile.makeFolder(folder) }
        try SystemFile.replace(path, with: Array((value.json() + "\n").utf8), isLasting: false)
    }
}
