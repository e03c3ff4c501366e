// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSDK
package import GatehouseSupport
private import Glibc

/// The file in which a host leaves its state for the next run.
package struct StateFile: Sendable {
    /// The path of the file.
    package let path: String

    /// The most bytes that it may have: 1 GiB.
    private static let limit = 1 << 30

    /// The file at a path.
    package init(path: String) { self.path = path }

    /// What the run before has left; nil when there is no file.
    ///
    /// - Throws: why that cannot be read, or why this run could not leave its own. What was left is never put aside: whoever wants to
    ///   begin anew removes the file.
    package func read() throws(Diagnostic) -> SavedState? {
        guard unsafe access(SystemFile.parts(of: path).folder, W_OK | X_OK) == 0 else {
            throw Diagnostic(
                .error,
                "\(path): the state could not be written there at the end: \(SystemReason.last); name a file in an existing folder that this user may write to"
            )
        }
        let bytes: [UInt8]
        do throws(SystemFile.ReadingError) {
            bytes = try SystemFile.bytes(of: path, limit: Self.limit)
        } catch .system(code: ENOENT) {
            return nil
        } catch {
            throw refusal("\(error)")
        }
        do throws(LibraryFileError) {
            _ = try FileTrust(isStrict: false).judge(path)
        } catch {
            throw Diagnostic(
                .error,
                "\(error); make sure that nobody has changed the state in it, or remove it to start from scratch"
            )
        }
        do {
            let value = try JSONText.parse(bytes)
            try Self.check(value, bytes)
            return try SavedState(value)
        } catch {
            throw refusal("\(error)")
        }
    }

    /// The name of the last member, which is the checksum of all bytes before it.
    private static let checksum = "checksum"

    /// Compares the checksum, where there is one, and looks for what no host writes: a file that somebody has edited has neither.
    private static func check(_ value: Value, _ bytes: [UInt8]) throws(CodingFailure) {
        let known = ["form", "configured", "plain", "kept", "instances", checksum]
        if let name = value.objectValue?.first(where: { !known.contains($0.key) })?.key {
            throw CodingFailure(
                pointer: JSONPointer(tokens: [name]), expected: "nothing of this name", found: "a member")
        }
        guard let written = value[checksum] else { return }
        let content = bytes.prefix(max(0, bytes.count - tail(of: 0).count))
        guard bytes == content + tail(of: Checksum.of(content)) else {
            throw CodingFailure(
                pointer: JSONPointer(tokens: [checksum]),
                expected:
                    "the checksum of what stands before it; remove that member if you have changed the file on purpose",
                found: written.quoted)
        }
    }

    /// The end of a file, after the other members.
    private static func tail(of checksum: UInt32) -> [UInt8] {
        let digits = String(checksum, radix: 16)
        return Array(
            ",\"\(Self.checksum)\":\"\(String(repeating: "0", count: 8 - digits.count) + digits)\"}\n".utf8)
    }

    /// Writes a state so that at any moment the file has the old content or the new one, also after a power failure.
    ///
    /// - Throws: the call that failed; the file is as it was then.
    package func write(_ state: SavedState) throws(SystemFailure) {
        let content = Array(state.value.json().utf8.dropLast())
        try SystemFile.replace(
            path, with: content + Self.tail(of: Checksum.of(content)), isLasting: true)
    }

    /// What to say about a file that cannot be read.
    private func refusal(_ reason: String) -> Diagnostic {
        Diagnostic(
            .error,
            "\(path): the state that the previous run left cannot be read: \(reason); restore the file, or remove it to start from scratch"
        )
    }
}
