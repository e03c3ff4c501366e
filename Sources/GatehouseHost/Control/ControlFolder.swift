// SPDX-License-Identifier: Apache-2.0

private import CLinux
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
        let parent = parents.first ?? "/tmp"
        let folder = (parent == "/tmp" ? "/tmp/" + temporaryName : parent + "/gatehouse")
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw .system(path: folder, reason: SystemReason.last)
        }
        guard let status = SystemFile.status(folder), status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), status.st_mode & 0o022 == 0
        else { throw .foreignFolder(folder) }
        return folder + "/" + name + ending
    }

    /// The hosts of this user, and of the system, that answer; by their names.
    public static func hosts() -> [(name: String, path: String)] {
        var folders = absolute("RUNTIME_DIRECTORY").map { [String($0.prefix { $0 != ":" })] } ?? []
        folders += parents.map { $0 + "/gatehouse" } + ["/run/gatehouse", "/tmp/" + temporaryName]
        var seen: Set<String> = []
        return folders.filter { seen.insert($0).inserted }.flatMap { folder in
            names(in: folder).map { (String($0.dropLast(ending.count)), folder + "/" + $0) }
        }.filter { isAlive($0.1) }.sorted { $0 < $1 }
    }

    /// Whether somebody listens at a path.
    static func isAlive(_ path: String) -> Bool {
        let descriptor = unsafe gatehouse_local_connect(path)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    // MARK: - Implementation details

    /// Folders for what lives as long as its user's session, the one that the environment names first.
    private static var parents: [String] {
        let session = "/run/user/\(geteuid())"
        let named = absolute("XDG_RUNTIME_DIR").map { [$0] } ?? []
        return named + (SystemFile.status(session) == nil || named == [session] ? [] : [session])
    }

    /// The folder where there is no other.
    private static var temporaryName: String { "gatehouse-\(geteuid())" }

    /// A variable that holds an absolute path.
    private static func absolute(_ name: String) -> String? {
        SystemFile.variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    /// The sockets in a folder, none where there is no such folder.
    private static func names(in folder: String) -> [String] {
        SystemFile.names(inFolder: folder).filter { $0.hasSuffix(ending) && $0.count > ending.count }
    }
}
