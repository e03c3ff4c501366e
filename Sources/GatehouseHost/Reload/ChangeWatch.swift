// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// Notices that the configuration file or something in the plugin folder has changed, once it has settled.
///
/// What the system tells of is only a hint: whether anything has changed is seen from the files themselves, so that no way of
/// replacing them, be it by renaming, through a link or one byte after the other, goes unnoticed or is told twice.
@EventLoop
public final class ChangeWatch {
    /// How long nothing may change before a change is told.
    private static let settling = Duration.milliseconds(200)
    /// How long a change waits at most for others to end.
    private static let patience = Duration.seconds(5)
    /// How often folders are looked for that are not there.
    private static let pause = Duration.seconds(1)

    /// What is known of a file: enough to see that it is another one, or has another content.
    private struct Stamp: Equatable {
        /// Its name as it was looked at.
        let name: String
        /// Its number and that of its file system.
        let file: [UInt64]
        /// Its size in bytes.
        let size: Int
        /// When it or what is known of it changed last, in nanoseconds.
        let changed: [Int]
    }

    /// The configuration file; nil for none.
    private let file: String?
    /// The plugin folder.
    private var folder: String
    /// Tells of changes; negative when the system had none left.
    private let changes = gatehouse_changes_open()
    /// Waits for them.
    private var watch: DescriptorWatch?
    /// The folders that are watched, with their numbers.
    private var watched: [String: Int32] = [:]
    /// What was there when a change was told last.
    private var known: [Stamp] = []
    /// Runs while something may still be changing.
    private var timer: LoopTimer?
    /// When what is changing began to; nil while nothing is.
    private var beginning: ContinuousClock.Instant?
    /// Called when something has changed.
    private let onChange: @EventLoop () -> Void

    /// Watches from here on; what was changed before was seen by who made this.
    public init(file: String?, folder: String, onChange: @escaping @EventLoop () -> Void) {
        self.file = file
        self.folder = folder
        self.onChange = onChange
        guard changes >= 0 else { return }
        watchFolders()
        known = stamps
        watch = try? DescriptorWatch(changes, for: .readable) { [weak self] _ in self?.notice() }
    }

    /// Watches another plugin folder.
    public func follow(folder: String) {
        guard folder != self.folder else { return }
        self.folder = folder
        watchFolders()
        known = stamps
    }

    // MARK: - Implementation details

    /// Takes note that something is changing.
    private func notice() {
        guard gatehouse_changes_take(changes) != 0 else { return }
        let now = ContinuousClock.now
        let beginning = beginning ?? now
        self.beginning = beginning
        timer?.cancel()
        let left = now.duration(to: beginning.advanced(by: Self.patience))
        wait(max(.zero, min(Self.settling, left)))
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
        let now = stamps
        guard now != known else { return }
        known = now
        onChange()
    }

    /// Watches the folders that there are; those that are not, later.
    private func watchFolders() {
        let wanted = Set([folder] + (file.map { Self.folders(of: $0) } ?? []))
        for (path, number) in watched where !wanted.contains(path) {
            _ = gatehouse_changes_remove(changes, number)
            watched[path] = nil
        }
        for path in wanted {
            let number = unsafe gatehouse_changes_add(changes, path)
            watched[path] = number > 0 ? number : nil
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

    /// The file and all libraries of the folder as they are now.
    private var stamps: [Stamp] {
        let libraries = SystemFile.names(inFolder: folder).filter { $0.hasSuffix(".so") }.sorted()
        return ([file].compactMap { $0 } + libraries.map { folder + "/" + $0 }).map(Self.stamp)
    }

    /// What is known of a file now.
    private static func stamp(_ path: String) -> Stamp {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            return Stamp(name: path, file: [], size: -1, changed: [])
        }
        return Stamp(
            name: path, file: [UInt64(status.st_dev), UInt64(status.st_ino)], size: Int(status.st_size),
            changed: [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ])
    }
}
