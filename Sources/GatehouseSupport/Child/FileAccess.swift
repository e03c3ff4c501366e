// SPDX-License-Identifier: Apache-2.0

/// The files that a confined child may change and read, besides its folder for temporary files.
package struct FileAccess: Equatable, Sendable {
    /// Folders, or files, that it may change and read, with all that is in them.
    package var changed: [String]
    /// Folders, or files, that it may read, with all that is in them; nil for everything that its user may read.
    package var read: [String]?

    /// Access to some files.
    package init(changing changed: [String] = [], reading read: [String]? = nil) {
        (self.changed, self.read) = (changed, read)
    }

    // MARK: - On the command line of a child

    /// The access as words: a sign of what may be done with a path, and the path.
    var words: [String] { (read ?? ["/"]).map { "r" + $0 } + changed.map { "w" + $0 } }

    /// Reads words; others are left out.
    init(words: ArraySlice<String>) {
        self.init(reading: [])
        for word in words {
            switch word.first {
            case "r": read?.append(String(word.dropFirst()))
            case "w": changed.append(String(word.dropFirst()))
            default: break
            }
        }
    }

    // MARK: - What programs need

    /// What programs read wherever they run: the libraries of the system, what they look at to know the machine, the time zone, the
    /// users and the certificates, and what the kernel tells of processes.
    ///
    /// None of it is secret: everybody on the machine may read it, but for what the kernel shows of a process to its tracers alone, and so
    /// to no child. All of `/proc` is named, because the folder of a process is another file each time that the kernel has forgotten it.
    package static let ofPrograms = [
        "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/timezone",
        "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/services", "/etc/protocols",
        "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ssl/cert.pem", "/etc/ca-certificates",
        "/etc/pki/tls/certs", "/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust", "/etc/crypto-policies",
        "/etc/locale.alias",
        "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/proc", "/sys/devices/system",
        "/sys/fs/cgroup",
    ]
}
