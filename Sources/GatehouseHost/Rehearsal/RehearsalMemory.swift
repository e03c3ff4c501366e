// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehouseSDK
private import Glibc

/// Remembers in the cache folder which images have passed, so that a start need not try them again.
///
/// `rehearsals/<key>`, an empty file each. The key is a digest of all that the result depends on: the library and everything it
/// brings along, its instances with settings, granted dependencies and what they are to take over, the host's own program and libraries. What failed is
/// tried again each time, because the reason may be gone.
struct RehearsalMemory {
    /// The folder in which the files are.
    private let folder: PrivateFolder
    /// Tells this host from any other that was installed, built or updated.
    private let host: String

    /// The memory in a cache folder; nil when there is none to be had, and everything is tried each time.
    init?(in cache: String?, trust: FileTrust) {
        guard let cache,
            let folder = try? PrivateFolder("rehearsals", below: cache, trust: trust, warn: { _ in })
        else { return nil }
        self.folder = folder
        host = (["/proc/self/exe"] + LoadedLibraries.host.paths).map(Self.stamp).joined(separator: "\n")
    }

    /// Whether this has passed before.
    func knows(_ act: RehearsalAct) -> Bool {
        let key = key(of: act)
        guard let changed = folder.changed(key) else { return false }
        // Its age is that of the last use, to the day.
        if time(nil) - changed > Self.pause {
            _ = unsafe utimensat(folder.descriptor, key, nil, AT_SYMLINK_NOFOLLOW)
        }
        return true
    }

    /// Remembers what has passed, and forgets what nobody has asked about for a month.
    ///
    /// What cannot be written is not remembered, which costs time and nothing else.
    func remember(_ acts: [RehearsalAct]) {
        guard !acts.isEmpty else { return }
        for act in acts {
            let file = unsafe openat(
                folder.descriptor, key(of: act), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) }
        }
        let now = time(nil)
        for name in folder.names {
            guard let used = folder.changed(name), now - used > Self.idleTime else { continue }
            _ = unsafe unlinkat(folder.descriptor, name, 0)
        }
    }

    // MARK: - Implementation details

    /// What names an image with its instances.
    private func key(of act: RehearsalAct) -> String {
        let instances = act.instances.map { planned in
            let dependencies = planned.entry.lift.dependencies?.joined(separator: ",") ?? "*"
            let state = act.states[planned.id].map { " \($0.version) \($0.value.json())" } ?? ""
            return "\(planned.id) \(dependencies) \(planned.entry.settings.json())\(state)"
        }
        let parts = [host, act.content.digest.hex, act.broughtAlong.hex] + instances
        return SHA256.digest(Array(parts.joined(separator: "\n").utf8)).hex
    }

    /// What nobody has asked about for so many seconds is forgotten: 30 days.
    private static let idleTime = 30 * 86_400
    /// So many seconds may the age of a file be behind its last use: a day.
    private static let pause = 86_400

    /// A file by its path, number, size and time.
    private static func stamp(_ path: String) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return path }
        return "\(path) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}
