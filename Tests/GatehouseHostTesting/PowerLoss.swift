// SPDX-License-Identifier: Apache-2.0

/// Simulates a power failure for a program: everything that it had not synced is gone.
public enum PowerLoss {
    /// The environment variables that record a program's synced files below a folder.
    public static func environment(below folder: String) -> [String: String] {
        ["LD_PRELOAD": library, "SYNCED_BELOW": folder]
    }

    /// The library that records what is synced.
    static var library: String { BuiltProducts.folder + "/libSyncedFiles.so" }

    /// Reduces the files in a folder to what was synced last; call it when the program is dead.
    public static func strike(_ folder: String) throws {
        let names = FileSystem.names(in: folder)
        for name in names where !name.contains(".synced") { FileSystem.remove(folder + "/" + name) }
        for name in names where name.contains(".synced") {
            guard name.hasSuffix(".synced") else {
                // An incomplete copy.
                FileSystem.remove(folder + "/" + name)
                continue
            }
            // For a synced folder there is nothing to restore.
            if FileSystem.isFolder(folder + "/" + name.dropLast(7)) { continue }
            // The copy stays: until the file is synced again, it is the state on the disk.
            try FileSystem.write(
                try FileSystem.read(folder + "/" + name), to: folder + "/" + name.dropLast(7), mode: 0o600)
        }
    }
}
