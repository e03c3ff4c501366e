// SPDX-License-Identifier: Apache-2.0

/// Lets a program die as if the machine had lost its power: what it had not synced is gone.
public enum PowerLoss {
    /// What a program needs in its environment so that its synced files below a folder are known afterwards.
    public static func environment(below folder: String) -> [String: String] {
        ["LD_PRELOAD": library, "SYNCED_BELOW": folder]
    }

    /// The library that takes note of what is synced.
    static var library: String { BuiltProducts.folder + "/libSyncedFiles.so" }

    /// Leaves of the files in a folder what was synced last, once the program is dead.
    public static func strike(_ folder: String) throws {
        let names = FileSystem.names(in: folder)
        for name in names where !name.contains(".synced") { FileSystem.remove(folder + "/" + name) }
        for name in names where name.contains(".synced") {
            guard name.hasSuffix(".synced") else {
                // A copy that was not made in full.
                FileSystem.remove(folder + "/" + name)
                continue
            }
            // Of a folder that was synced nothing is to be put back.
            if FileSystem.isFolder(folder + "/" + name.dropLast(7)) { continue }
            // The copy stays: until the file is synced again, this is what there is.
            try FileSystem.write(
                try FileSystem.read(folder + "/" + name), to: folder + "/" + name.dropLast(7), mode: 0o600)
        }
    }
}
