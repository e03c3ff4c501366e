// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseRuntime
internal import GatehouseSupport
private import Glibc

/// Locates the control sockets of hosts.
package enum ControlFolder {
    /// The file name extension of sockets.
    private static let ending = ".sock"

    /// Returns the path of a host's socket, creating the folder if missing.
    package static func path(forHost name: String) throws(ControlSocketError) -> String {
        // systemd lists all folders of a service, separated by colons.
        if let folders = absolute("RUNTIME_DIRECTORY") {
            return folders.prefix { $0 != ":" } + "/" + name + ending
        }
        let folder = parents.first.flatMap { $0 == "/tmp" ? nil : $0 + "/gatehouse" } ?? temporary
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw .obstacle(.system(reason: SystemReason.last), at: folder)
        }
        guard let status = SystemFile.status(folder), status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o022 == 0
        else { throw .foreignFolder(folder) }
        return folder + "/" + name + ending
    }

    /// Returns the responding hosts of this user and of the system, by name; skips folders where anyone could place an
    /// impostor.
    package static func hosts() -> [(name: String, path: String)] {
        folders.filter(isTrusted).flatMap { folder in
            names(in: folder).map { (String($0.dropLast(ending.count)), folder + "/" + $0) }
        }.filter { isAlive($0.1) }.sorted { $0 < $1 }
    }

    /// Folders with sockets that `hosts()` skips.
    package static var distrusted: [String] { folders.filter { !isTrusted($0) && !names(in: $0).isEmpty } }

    /// Whether a host listens at a path.
    static func isAlive(_ path: String) -> Bool {
        let descriptor = LocalAddress.connect(to: path)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return isTrusted(server: descriptor, at: path)
    }

    /// Whether the process listening at a path belongs to root, this user, or the owner of the socket's file.
    package static func isTrusted(server descriptor: Int32, at path: String) -> Bool {
        let user = gatehouse_local_user(descriptor)
        return user == 0 || user == Int64(geteuid())
            || SystemFile.status(path).map { Int64($0.st_uid) == user } ?? false
    }

    /// Whether only root and the folder's rightful owner can write to a folder.
    ///
    /// This user or root owns it, or root owns its parent and gave it to a service; and others may write to neither.
    private static func isTrusted(_ folder: String) -> Bool {
        guard let status = SystemFile.status(folder), status.st_mode & S_IFMT == S_IFDIR,
            status.st_mode & 0o022 == 0
        else { return false }
        if SystemFile.isTrusted(owner: status.st_uid) { return true }
        let parent = SystemFile.status(SystemFile.parts(of: folder).folder)
        return parent.map { $0.st_uid == 0 && $0.st_mode & 0o022 == 0 } ?? false
    }

    // MARK: - Implementation details

    /// The folders that may hold sockets.
    private static var folders: [String] {
        var folders = absolute("RUNTIME_DIRECTORY").map { [String($0.prefix { $0 != ":" })] } ?? []
        folders += parents.map { $0 + "/gatehouse" } + [place("/run") + "/gatehouse", temporary]
        var seen: Set<String> = []
        return folders.filter { seen.insert($0).inserted }
    }

    /// The folders that live as long as the user's session, the one in the environment first.
    private static var parents: [String] {
        let session = place("/run") + "/user/\(geteuid())"
        let named = absolute("XDG_RUNTIME_DIR").map { [$0] } ?? []
        return named + (SystemFile.status(session) == nil || named == [session] ? [] : [session])
    }

    /// The fallback folder.
    private static var temporary: String { place("/tmp") + "/gatehouse-\(geteuid())" }

    /// Returns a folder shared by the whole machine, or the one the environment substitutes, which hides all hosts outside it.
    private static func place(_ shared: String) -> String { absolute("GATEHOUSE_RUN_DIRECTORY") ?? shared }

    /// Returns an environment variable that holds an absolute path.
    private static func absolute(_ name: String) -> String? {
        SystemFile.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// Returns the sockets in a folder; none where the folder is missing.
    private static func names(in folder: String) -> [String] {
        SystemFile.names(inFolder: folder).filter { $0.hasSuffix(ending) && $0.count > ending.count }
    }
}
