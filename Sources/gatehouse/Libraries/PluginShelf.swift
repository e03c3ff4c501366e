// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
internal import GatehouseSupport

/// Where an index and its libraries lie: a folder, or a web server that the program curl asks.
struct PluginShelf {
    /// The path or the URL of the index.
    let place: String

    /// Whether a web server has what is at a place.
    static func isRemote(_ place: String) -> Bool {
        ["http://", "https://"].contains { place.hasPrefix($0) }
    }

    /// Where everything else is: the path or the URL without its last part.
    private var folder: String { place.lastIndex(of: "/").map { String(place[..<$0]) } ?? "." }

    /// The index, whose signature is checked.
    ///
    /// - Parameter scratch: a folder for what a web server sends.
    /// - Returns: the libraries that the key of the index may sign.
    func index(judgedBy judge: SigningJudge, through scratch: String) throws(Ended) -> PluginIndex {
        let bytes = try bytes(of: place, limit: PluginIndex.limit, through: scratch)
        let signature = try self.signature(of: place, through: scratch)
        do throws(Diagnostic) {
            return try judge.index(bytes, signedBy: signature, named: Quotation.bare(place))
        } catch {
            throw Ended(.pluginRefused, "\(error)")
        }
    }

    /// A library, and its signature.
    func library(
        _ entry: PluginIndex.Entry, through scratch: String
    ) throws(Ended) -> (library: [UInt8], signature: [UInt8]) {
        let path = "\(folder)/\(entry.file)"
        return (
            try bytes(of: path, limit: SealedFile.sizeLimit, through: scratch),
            try signature(of: path, through: scratch)
        )
    }

    /// The signature of a file.
    private func signature(of path: String, through scratch: String) throws(Ended) -> [UInt8] {
        try bytes(of: path + MinisignSignature.suffix, limit: MinisignSignature.limit, through: scratch)
    }

    /// The bytes of a file.
    private func bytes(of path: String, limit: Int, through scratch: String) throws(Ended) -> [UInt8] {
        var local = path
        if Self.isRemote(path) {
            local = scratch + "/received"
            let words = [
                "curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=http,https",
                "--proto-redir", "=http,https", "--max-filesize", "\(limit)", "--output", local, "--", path,
            ]
            switch OtherProgram.status(of: words) {
            case 0: break
            case nil:
                throw Ended(
                    .unavailable,
                    "there is no program curl; install it, or copy the files and name their folder")
            default:
                throw Ended(
                    .unavailable, "\(Quotation.bare(path)): curl has not received it; its words are above")
            }
        }
        do throws(SystemFile.ReadingError) {
            return try SystemFile.bytes(of: local, limit: limit)
        } catch {
            throw Ended(.usage, "\(Quotation.bare(path)): \(error)")
        }
    }
}
