// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseControl
package import GatehouseRuntime
internal import GatehouseSupport
private import Glibc
private import Synchronization

/// The file of a host's flight recorder when there is no supervisor: it survives a kill, and a good end removes it.
///
/// Held by one host, for as long as the process has it open.
package final class FlightRecorderFile: Sendable {
    /// The remains of a previous host that did not come to a good end.
    package struct Left: Sendable {
        /// The host's process.
        package let process: Int32
        /// The account of its crash handler; nil when none was called.
        package let death: FlightRecord?
        /// The activity of its drain; nil for none.
        package let activity: FlightRecord?
    }

    /// The path of the file.
    private let path: Mutex<String>
    /// The descriptor, open and locked for as long as this object lives.
    package let descriptor: Int32
    /// The remains in the file; nil after a good end.
    package let left: Left?

    /// Opens the flight recorder of a host by name; nil where there is no folder for it, or another host has it.
    ///
    /// - Parameter isSuccessor: whether another host has the file, which this one takes the place of by `takePlace`.
    package convenience init?(forHost name: String, isSuccessor: Bool = false) {
        guard let socket = try? ControlFolder.path(forHost: name) else { return nil }
        let path = SystemFile.parts(of: socket).folder + "/" + name + Self.suffix
        self.init(path: isSuccessor ? path + Self.waiting : path)
    }

    /// The end of its name.
    private static let suffix = ".box"
    /// What follows that while another host has the file.
    private static let waiting = ".next"

    /// Takes the place of the other host's file.
    package func takePlace() {
        path.withLock { path in
            guard path.hasSuffix(Self.waiting) else { return }
            let place = String(path.dropLast(Self.waiting.utf8.count))
            if unsafe rename(path, place) == 0 { path = place }
        }
    }

    /// Opens the flight recorder in a file; nil when that fails.
    package init?(path: String) {
        self.path = Mutex(path)
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return nil }
        var status = stat()
        guard gatehouse_lock_alone(file, 0) == 0, unsafe fstat(file, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
        else {
            close(file)
            return nil
        }
        if status.st_size >= FlightRecorder.byteCount {
            let flightRecorder = FlightRecorder(lookingAt: file)
            left = flightRecorder.process.map {
                Left(process: $0, death: flightRecorder.death, activity: flightRecorder.lastActivity)
            }
        } else {
            left = nil
        }
        guard ftruncate(file, 0) == 0, ftruncate(file, off_t(FlightRecorder.byteCount)) == 0 else {
            close(file)
            return nil
        }
        descriptor = file
    }

    deinit { close(descriptor) }

    /// Removes the file after a good end.
    package func remove() { path.withLock { _ = unsafe unlink($0) } }
}
