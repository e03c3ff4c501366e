// SPDX-License-Identifier: Apache-2.0

private import CLinux
internal import GatehouseSupport
private import Glibc

/// Where hosts have their control sockets, and which of them are there.
public enum ControlFolder {
    /// What the file of a socket ends in.
    private static let ending = ".sock"

    /// The path of the socket of a host; the folder is made where it is missing.
    public static func path(forHost name: String) throws(ControlSocketError) -> String {
        // systemd lists all folders of a service, with colons between them.
        if let folders = absolute("RUNTIME_DIRECTORY") {
            return folders.prefix { $0 != ":" } + "/" + name + ending
        }
        let folder = parents.first.flatMap { $0 == "/tmp" ? nil : $0 + "/gatehouse" } ?? temporary
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw .system(path: folder, reason: SystemReason.last)
        }
        guard let status = SystemFile.status(folder), status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o022 == 0
        else { throw .foreignFolder(folder) }
        return folder + "/" + name + ending
    }

    /// The hosts of this user, and of the system, that answer; by their names. Folders in which anybody could put something that answers
    /// in their place are not looked into.
    public static func hosts() -> [(name: String, path: String)] {
        folders.filter(isTrusted).flatMap { folder in
            names(in: folder).map { (String($0.dropLast(ending.count)), folder + "/" + $0) }
        }.filter { isAlive($0.1) }.sorted { $0 < $1 }
    }

    /// Folders with sockets that are not looked into.
    public static var distrusted: [String] { folders.filter { !isTrusted($0) && !names(in: $0).isEmpty } }

    /// Whether a host listens at a path.
    static func isAlive(_ path: String) -> Bool {
        let descriptor = unsafe gatehouse_local_connect(path)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return isTrusted(server: descriptor, at: path)
    }

    /// Whether whoever listens at a path is root, this user, or the user whose file the socket is.
    public static func isTrusted(server descriptor: Int32, at path: String) -> Bool {
        let user = gatehouse_local_user(descriptor)
        return user == 0 || user == Int64(geteuid())
            || SystemFile.status(path).map { Int64($0.st_uid) == user } ?? false
    }

    /// Whether nobody but root and those to whom it is given can put something into a folder.
    ///
    /// It is this user's or root's, or its parent is root's, who has given it to a service; and others may write to neither.
    private static func isTrusted(_ folder: String) -> Bool {
        guard let status = SystemFile.status(folder), status.st_mode & S_IFMT == S_IFDIR,
            status.st_mode & 0o022 == 0
        else { return false }
        if SystemFile.isTrusted(owner: status.st_uid) { return true }
        let parent = SystemFile.status(SystemFile.parts(of: folder).folder)
        return parent.map { $0.st_uid == 0 && $0.st_mode & 0o022 == 0 } ?? false
    }

    // MARK: - Implementation details

    /// Where there may be sockets.
    private static var folders: [String] {
        var folders = absolute("RUNTIME_DIRECTORY").map { [String($0.prefix { $0 != ":" })] } ?? []
        folders += parents.map { $0 + "/gatehouse" } + [place("/run") + "/gatehouse", temporary]
        var seen: Set<String> = []
        return folders.filter { seen.insert($0).inserted }
    }

    /// Folders for what lives as long as its user's session, the one that the environment names first.
    private static var parents: [String] {
        let session = place("/run") + "/user/\(geteuid())"
        let named = absolute("XDG_RUNTIME_DIR").map { [$0] } ?? []
        return named + (SystemFile.status(session) == nil || named == [session] ? [] : [session])
    }

    /// The folder where there is no other.
    private static var temporary: String { place("/tmp") + "/gatehouse-\(geteuid())" }

    /// A folder that the whole machine shares, or the one that the environment names instead, so that no host outside of it is seen.
    private static func place(_ shared: String) -> String { absolute("GATEHOUSE_RUN_DIRECTORY") ?? shared }

    /// A variable that holds an absolute path.
    private static func absolute(_ name: String) -> String? {
        SystemFile.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The sockets in a folder, none where there is no such folder.
    private static func names(in folder: String) -> [String] {
        SystemFile.names(inFolder: folder).filter { $0.hasSuffix(ending) && $0.count > ending.count }
    }
}
