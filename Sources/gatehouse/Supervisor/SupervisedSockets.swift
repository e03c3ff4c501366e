// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport
private import Glibc

/// The sockets that the host listens at; they stay open as long as the supervisor.
struct SupervisedSockets {
    /// Those handed over by the service manager, and those at which instances of the host listen.
    private var handed: HandedSockets
    /// Those opened here, by their paths.
    private var own: [String: ListeningSocket] = [:]

    /// Creates the sockets of a supervisor that has opened none yet.
    init(handed: HandedSockets) { self.handed = handed }

    /// Goes on with the sockets of the supervisor before, by their names there.
    init(adopting sockets: [(descriptor: Int32, name: String)]) {
        handed = HandedSockets()
        for (descriptor, name) in sockets {
            if name == HandedSockets.supervisorName, case .path(let path)? = ListeningAddress(of: descriptor)
            {
                own[path] = ListeningSocket(
                    handedOver: descriptor, name: SystemFile.parts(of: path).name, at: path, isOwn: true,
                    acknowledges: false, rules: InputConfiguration())
            } else {
                handed.add(descriptor, as: name)
            }
        }
    }

    /// The descriptors for the host, in order, with names.
    var descriptors: [(descriptor: Int32, name: String)] {
        handed.descriptors
            + own.sorted { $0.key < $1.key }.map { ($0.value.descriptor, HandedSockets.supervisorName) }
    }

    /// Opens those that are not open yet; returns the sentence about one that cannot be opened.
    mutating func open(_ options: RunOptions, _ configuration: HostConfiguration?) -> String? {
        var wanted = options.inputs.listen.map { ($0, ".") }
        wanted += (configuration?.ingress.listen ?? []).map { ($0, options.file.folder) }
        for (listen, base) in wanted {
            guard case .path(let path) = listen.place else { continue }
            let whole = RunInputs.path(path, in: base)
            if own[whole] != nil { continue }
            do {
                own[whole] = try ListeningSocket(
                    path: whole, mode: listen.mode, acknowledges: listen.acknowledges)
            } catch {
                return "\(error)"
            }
        }
        return nil
    }

    /// Performs the requests in the lines of a message, as the service manager would: keeps a descriptor that came with it for the
    /// next host, or forgets one.
    mutating func take(_ lines: [Substring], _ descriptor: Int32) {
        let name = lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst("FDNAME=".count)) }
        if descriptor >= 0, let name, lines.contains("FDSTORE=1") {
            handed.keep(descriptor, as: name)
        } else {
            if descriptor >= 0 { Glibc.close(descriptor) }
            if let name, lines.contains("FDSTOREREMOVE=1") { handed.forget(name) }
        }
    }

    /// Removes the files of the sockets opened here.
    func close() { for socket in own.values { socket.remove() } }
}
