// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
private import Synchronization

/// The versions of the host that are installed beside this one, whose workers run plugins that this process cannot load.
///
/// Callable from any thread. None of their code runs here.
package final class InstalledVersions: Sendable {
    /// Those whose descriptions could be read and whose files nobody else can change, in order of their names.
    package let all: [InstalledVersion]
    /// Why others are left out, a sentence for each.
    package let warnings: [String]
    /// Why some cannot work for this host, by name; found out for those that a plugin needs, once. The value is nil for one that can.
    private let obstacles = Mutex<[String: String?]>([:])

    /// No version.
    package static let none = InstalledVersions(in: nil, trust: FileTrust(isStrict: false))

    /// The environment variable that names another folder of versions than the one beside the program.
    package static let setting = "GATEHOUSE_VERSIONS"
    /// The name of the folder beside the program.
    private static let folderName = "versions"

    /// The folder of the versions: the one that the environment names, or `versions` beside this program; nil where the program is not known.
    package static var usualFolder: String? {
        if let named = SystemFile.variable(setting), !named.isEmpty { return named }
        return (try? SystemFile.target(of: "/proc/self/exe")).map {
            SystemFile.parts(of: $0).folder + "/" + folderName
        }
    }

    /// Reads the descriptions of all versions in a folder; none where there is no folder.
    ///
    /// - Parameter folder: nil for none.
    package init(in folder: String? = InstalledVersions.usualFolder, trust: FileTrust) {
        guard let folder else {
            (all, warnings) = ([], [])
            return
        }
        guard folder.hasPrefix("/") else {
            all = []
            warnings = [
                "\(Self.setting): expected an absolute path, found \(Quotation.of(folder)); write the whole path of the folder"
            ]
            return
        }
        var versions: [InstalledVersion] = []
        var warnings: [String] = []
        let names = SystemFile.names(inFolder: folder).filter { SystemFile.isFolder(folder + "/" + $0) }
            .sorted()
        for name in names {
            do throws(UnusableVersion) {
                versions.append(try InstalledVersion(in: folder + "/" + name, named: name, trust: trust))
            } catch {
                warnings.append(error.sentence)
            }
        }
        all = versions
        self.warnings = warnings
    }

    /// The first version that a plugin with an identity was built for; nil for none.
    ///
    /// - Returns: also why its children cannot work for this host; nil where they can.
    func version(for plugin: BuildIdentity) -> (version: InstalledVersion, obstacle: String?)? {
        var unusable: (version: InstalledVersion, obstacle: String?)?
        for version in all
        where !IdentityComparison.all(of: plugin, with: version.identity).contains(where: \.isRefusal) {
            let obstacle = obstacles.withLock { obstacles in
                if let known = obstacles[version.name] { return known }
                let found = version.obstacle
                obstacles[version.name] = .some(found)
                return found
            }
            guard let obstacle else { return (version, nil) }
            unusable = unusable ?? (version, obstacle)
        }
        return unusable
    }
}
