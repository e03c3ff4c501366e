// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
private import Glibc

/// The file in which a host leaves its state for the next run.
public struct StateFile: Sendable {
    /// The path of the file.
    public let path: String

    /// The most bytes that it may have: 1 GiB.
    private static let limit = 1 << 30

    /// The file at a path.
    public init(path: String) { self.path = path }

    /// What the run before has left; nil when there is no file.
    ///
    /// - Throws: why that cannot be read, or why this run could not leave its own. What was left is never put aside: whoever wants to
    ///   begin anew removes the file.
    public func read() throws(Finding) -> SavedState? {
        guard unsafe access(SystemFile.parts(of: path).folder, W_OK | X_OK) == 0 else {
            throw Finding(
                .error,
                "\(path): the state could not be written there at the end: \(SystemReason.last); name a file in a folder that is there and that this user may write to"
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
        let value: Value
        do {
            value = try JSONText.parse(bytes)
        } catch {
            throw refusal("\(error)")
        }
        do {
            return try SavedState(value)
        } catch {
            throw refusal("\(error)")
        }
    }

    /// Writes a state so that at any moment the file has the old content or the new one, also after a power failure.
    ///
    /// - Throws: the call that failed; the file is as it was then.
    public func write(_ state: SavedState) throws(SystemFailure) {
        try SystemFile.replace(path, with: Array((state.value.json() + "\n").utf8), isLasting: true)
    }

    /// What to say about a file that cannot be read.
    private func refusal(_ reason: String) -> Finding {
        Finding(
            .error,
            "\(path): the state that the run before has left cannot be read: \(reason); restore the file, or remove it to begin anew"
        )
    }
}
