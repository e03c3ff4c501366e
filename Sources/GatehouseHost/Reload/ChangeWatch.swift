// SPDX-License-Identifier: Apache-2.0

public import GatehouseSupport
private import Glibc

/// Notices that the configuration file or something in the plugin folder has changed, once it has settled.
///
/// What the system tells of is only a hint: whether anything has changed is seen from the files themselves, so that no way of
/// replacing them, be it by renaming, through a link or one byte after the other, goes unnoticed or is told twice.
@EventLoop
public final class ChangeWatch {
    /// How long nothing may change before a change is told.
    private let settling: Duration
    /// How long a change waits at most for others to end.
    private let patience: Duration
    /// How often folders are looked for that are not there.
    private static let pause = Duration.seconds(1)

    /// The configuration file; nil for none.
    private let file: String?
    /// The path of the plugin folder that is watched.
    private var folder: String
    /// Tells of changes; nil when the system had none left.
    private let changes = try? FolderChanges()
    /// The watch that wakes the loop when something has changed.
    private var watch: DescriptorWatch?
    /// The folders that are watched, with their numbers.
    private var watched: [String: Int32] = [:]
    /// What was there when a change was told last.
    private var known: FileStamps
    /// Runs while something may still be changing.
    private var timer: LoopTimer?
    /// When what is changing began to; nil while nothing is.
    private var beginning: ContinuousClock.Instant?
    /// Called when something has changed.
    private let onChange: @EventLoop () -> Void

    /// Watches from here on.
    ///
    /// - Parameter known: the files as they were before somebody looked at what is in them; a change since then is told.
    public convenience init(
        file: String?, folder: String, known: FileStamps, onChange: @escaping @EventLoop () -> Void
    ) {
        self.init(
            file: file, folder: folder, known: known, settling: .milliseconds(200), patience: .seconds(5),
            onChange: onChange)
    }

    /// The same with other times: how long nothing may change before a change is told, and how long one waits at most for that.
    init(
        file: String?, folder: String, known: FileStamps, settling: Duration, patience: Duration,
        onChange: @escaping @EventLoop () -> Void
    ) {
        self.settling = settling
        self.patience = patience
        self.file = file
        self.folder = folder
        self.known = known
        self.onChange = onChange
        guard let changes else { return }
        watch = try? DescriptorWatch(changes.descriptor, for: .readable) { [weak self] _ in self?.notice() }
        look()
    }

    /// Watches another plugin folder.
    public func follow(folder: String) {
        guard folder != self.folder else { return }
        self.folder = folder
        known = FileStamps(of: file, folder: folder)
        watchFolders()
    }

    /// Takes the files as they are for known, because somebody looks at them now.
    public func accept() { known = FileStamps(of: file, folder: folder) }

    // MARK: - Implementation details

    /// Takes note that something is changing.
    private func notice() {
        guard changes?.take() == true else { return }
        let now = ContinuousClock.now
        let beginning = beginning ?? now
        self.beginning = beginning
        timer?.cancel()
        let left = now.duration(to: beginning.advanced(by: patience))
        wait(max(.zero, min(settling, left)))
    }

    /// Looks at the files after a while.
    private func wait(_ delay: Duration) {
        timer = LoopTimer(after: delay) { [weak self] in self?.look() }
    }

    /// Tells of a change, if there is one.
    private func look() {
        timer = nil
        beginning = nil
        watchFolders()
        let now = FileStamps(of: file, folder: folder)
        guard now != known else { return }
        known = now
        onChange()
    }

    /// Watches the folders that there are; those that are not, later.
    private func watchFolders() {
        let wanted = Set([folder] + (file.map { Self.folders(of: $0) } ?? []))
        for (path, number) in watched where !wanted.contains(path) {
            changes?.remove(number)
            watched[path] = nil
        }
        for path in wanted {
            watched[path] = try? changes?.add(path)
        }
        if watched.count < wanted.count, timer == nil { wait(Self.pause) }
    }

    /// The folder that a file is in and, of a link, that of what it leads to.
    private static func folders(of file: String) -> [String] {
        var paths = [file]
        if let real = unsafe realpath(file, nil) {
            unsafe paths.append(String(cString: real))
            unsafe free(real)
        }
        return paths.map { path in
            guard let slash = path.lastIndex(of: "/") else { return "." }
            return slash == path.startIndex ? "/" : String(path[..<slash])
        }
    }
}
