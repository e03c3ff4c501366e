// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseManifest
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// Records in the cache folder which images have passed, so that a start need not try them again.
///
/// `rehearsals/<key>`, an empty file each. The key is a digest of everything the result depends on: the library and everything it brings
/// along, its instances with settings, granted dependencies and states to take over, the host's own program and libraries, and the program of the installed version that tries it. Failures are
/// tried again each time, because the reason may be gone.
struct RehearsalMemory {
    /// The folder of the files.
    private let folder: PrivateFolder
    /// Distinguishes this host from any other installed, built or updated one.
    private let host: String

    /// Opens the memory in a cache folder; nil when that fails, and everything is tried each time.
    init?(in cache: String?, trust: FileTrust) {
        guard let cache,
            let folder = try? PrivateFolder("rehearsals", below: cache, trust: trust, warn: { _ in })
        else { return nil }
        self.folder = folder
        host = (["/proc/self/exe"] + LoadedLibraries.host.paths).map(Self.stamp).joined(separator: "\n")
    }

    /// Whether an act has passed before.
    func knows(_ act: RehearsalAct) -> Bool {
        let key = key(of: act)
        guard let changed = folder.changed(key) else { return false }
        // The file's age is that of the last use, to the day.
        if time(nil) - changed > Self.pause {
            _ = unsafe utimensat(folder.descriptor, key, nil, AT_SYMLINK_NOFOLLOW)
        }
        return true
    }

    /// Records acts that have passed, and removes those unused for a month.
    ///
    /// A failure to write is ignored; it costs only time.
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

    /// Returns the name of an image with its instances.
    private func key(of act: RehearsalAct) -> String {
        let instances = act.instances.map { planned in
            let dependencies = planned.entry.lift.dependencies?.joined(separator: ",") ?? "*"
            let state = act.states[planned.id].map { " \($0.version) \($0.value.json())" } ?? ""
            // What reads a file passes only where it may.
            let access = act.isInWorkers ? " worker \(planned.entry.grant.value.json())" : ""
            return "\(planned.id) \(dependencies) \(planned.entry.settings.json())\(state)\(access)"
        }
        let version = act.program == HostChild.ownProgram ? [] : [Self.stamp(act.program)]
        let parts = [host] + version + [act.content.digest.hex, act.broughtAlong.hex] + instances
        return SHA256.digest(Array(parts.joined(separator: "\n").utf8)).hex
    }

    /// The seconds after which unused results are removed: 30 days.
    private static let idleTime = 30 * 86_400
    /// How many seconds the age of a file may lag behind its last use: a day.
    private static let pause = 86_400

    /// Identifies a file by its path, number, size and time.
    private static func stamp(_ path: String) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return path }
        return "\(path) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
    }
}
