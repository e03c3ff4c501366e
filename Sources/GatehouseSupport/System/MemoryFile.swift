// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc

/// Files that are in memory only, which processes share by their descriptors.
///
/// The caller owns each descriptor; programs that this process starts do not get it unless they are given it.
package enum MemoryFile {
    /// Creates a file of zeros whose size nobody can change: what one process maps must not shrink in the hands of another.
    ///
    /// - Parameters:
    ///   - name: a label, seen only in /proc.
    ///   - size: in bytes; a file of 0 bytes can grow.
    package static func make(_ name: String, size: Int) throws(SystemFailure) -> Int32 {
        let file = unsafe gatehouse_memfd_create(name)
        guard file >= 0 else { throw SystemFailure(code: -file) }
        guard size > 0 else { return file }
        let code = ftruncate(file, off_t(size)) == 0 ? -gatehouse_memfd_fix_size(file) : errno
        guard code == 0 else {
            close(file)
            throw SystemFailure(code: code)
        }
        return file
    }

    /// Creates a file that holds bytes, to be read from its beginning.
    ///
    /// - Parameter name: a label, seen only in /proc.
    package static func make(_ name: String, holding bytes: [UInt8]) throws(SystemFailure) -> Int32 {
        let file = try make(name, size: 0)
        guard SystemFile.write(bytes, to: file) else {
            defer { close(file) }
            throw .last
        }
        lseek(file, 0, SEEK_SET)
        return file
    }
}
