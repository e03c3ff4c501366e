// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// The file of a host's black box where no supervisor has one: what it says stays when the host is killed, and goes with a good end.
///
/// Held by one host, as long as the process has it open.
public final class BlackBoxFile: Sendable {
    /// What the host before has left that had the file, and did not come to a good end.
    public struct Left: Sendable {
        /// Its process.
        public let process: Int32
        /// What its handler of crashes has told; nil when none was called.
        public let death: BoxAccount?
        /// What its drain was doing; nil for nothing.
        public let activity: BoxAccount?
    }

    /// The path of the file.
    private let path: String
    /// Open, and locked, as long as this lives.
    public let descriptor: Int32
    /// What was left there; nil after a good end.
    public let left: Left?

    /// The box of the host with a name; nil where there is no folder for it, or another host has it.
    public convenience init?(forHost name: String) {
        guard let socket = try? ControlFolder.path(forHost: name) else { return nil }
        self.init(path: SystemFile.parts(of: socket).folder + "/" + name + ".box")
    }

    /// The box in a file; nil when it cannot be had.
    init?(path: String) {
        self.path = path
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        var status = stat()
        guard gatehouse_lock_alone(file, 0) == 0, unsafe fstat(file, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
        else {
            close(file)
            return nil
        }
        if status.st_size >= BlackBox.byteCount {
            let box = BlackBox(lookingAt: file)
            left = box.process.map { Left(process: $0, death: box.death, activity: box.lastActivity) }
        } else {
            left = nil
        }
        guard ftruncate(file, 0) == 0, ftruncate(file, off_t(BlackBox.byteCount)) == 0 else {
            close(file)
            return nil
        }
        descriptor = file
    }

    deinit { close(descriptor) }

    /// Removes the file: the host has come to a good end.
    public func remove() { _ = unsafe unlink(path) }
}
