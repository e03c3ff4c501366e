// SPDX-License-Identifier: Apache-2.0

internal import GatehouseHost

/// The sockets that the host listens at, open as long as its supervisor.
struct SupervisedSockets {
    /// Those that the service manager has handed over.
    private let handed: HandedSockets
    /// Those that were opened here, by their paths.
    private var own: [String: ListeningSocket] = [:]

    /// The sockets of a supervisor that has opened none yet.
    init(handed: HandedSockets) { self.handed = handed }

    /// What the host is given, in order, with names.
    var descriptors: [(descriptor: Int32, name: String)] {
        handed.descriptors
            + own.sorted { $0.key < $1.key }.map { ($0.value.descriptor, HandedSockets.supervisorName) }
    }

    /// Opens those that are not open yet; returns the sentence about one that cannot be opened.
    mutating func open(
        _ options: RunOptions, _ configuration: HostConfiguration?, in folder: String
    ) -> String? {
        var wanted = options.listen.map { ($0, ".") }
        wanted += (configuration?.ingress.listen ?? []).map { ($0, folder) }
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

    /// Removes the files of those that were opened here.
    func close() { for socket in own.values { socket.remove() } }
}
