// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc

/// Detects changes of the configuration file or the plugin folder, once they have settled.
///
/// System notifications are only hints: the files themselves show whether anything has changed, so that no way of replacing
/// them, be it by renaming, through a link or byte by byte, goes unnoticed or is reported twice.
@EventLoop
final class ChangeWatch {
    /// How long nothing may change before a change is reported.
    private let settling: Duration
    /// The longest wait for further changes to end.
    private let patience: Duration
    /// How often to look for missing folders.
    private static let pause = Duration.seconds(1)

    /// The configuration file; nil for none.
    private let file: String?
    /// The path of the plugin folder that is watched.
    private var folder: String
    /// Receives notifications; nil when the system had none left.
    private let changes = try? FolderChanges()
    /// Wakes the loop when something has changed.
    private var watch: DescriptorWatch?
    /// The watched folders, with their numbers.
    private var watched: [String: Int32] = [:]
    /// The files when a change was last reported.
    private var known: FileStamps
    /// Runs while something may still be changing.
    private var timer: LoopTimer?
    /// When the current changes began; nil while nothing changes.
    private var beginning: ContinuousClock.Instant?
    /// Called when something has changed.
    private let onChange: @EventLoop () -> Void

    /// Starts watching.
    ///
    /// - Parameter known: the files before their content was read; a change since then is reported.
    init(
        file: String?, folder: String, known: FileStamps, settling: Duration = .milliseconds(200),
        patience: Duration = .seconds(5), onChange: @escaping @EventLoop () -> Void
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
    func follow(folder: String) {
        guard folder != self.folder else { return }
        self.folder = folder
        known = FileStamps(of: file, folder: folder)
        watchFolders()
    }

    /// Accepts the current files as known, because they are about to be read.
    func accept() { known = FileStamps(of: file, folder: folder) }

    // MARK: - Implementation details

    /// Records that something is changing.
    private func notice() {
        guard changes?.take() == true else { return }
        let now = ContinuousClock.now
        let beginning = beginning ?? now
        self.beginning = beginning
        timer?.cancel()
        let left = now.duration(to: beginning.advanced(by: patience))
        wait(max(.zero, min(settling, left)))
    }

    /// Checks the files after a delay.
    private func wait(_ delay: Duration) { timer = LoopTimer(after: delay) { [weak self] in self?.look() } }

    /// Reports a change, if there is one.
    private func look() {
        timer = nil
        beginning = nil
        watchFolders()
        let now = FileStamps(of: file, folder: folder)
        guard now != known else { return }
        known = now
        onChange()
    }

    /// Watches the existing folders; missing ones later.
    private func watchFolders() {
        let wanted = Set([folder] + (file.map { Self.folders(of: $0) } ?? []))
        for (path, number) in watched where !wanted.contains(path) {
            changes?.remove(number)
            watched[path] = nil
        }
        for path in wanted { watched[path] = try? changes?.add(path) }
        if watched.count < wanted.count, timer == nil { wait(Self.pause) }
    }

    /// Returns the folder of a file and, for a link, that of its target.
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
