// SPDX-License-Identifier: Apache-2.0

import CGatehouse
import GatehouseSDK
import Testing

@testable import GatehouseLibrary

/// The table of a foreign plugin, before any of its functions is called.
@Suite(.timeLimit(.minutes(10))) struct ForeignPluginTests {
    /// The smallest sound table.
    private static var sound: gatehouse_foreign_plugin_v1 {
        var table = unsafe gatehouse_foreign_plugin_v1()
        unsafe table.size = UInt32(MemoryLayout<gatehouse_foreign_plugin_v1>.size)
        unsafe table.run_after = { _, _, _ in }
        return unsafe table
    }

    /// What is wrong with a table; nothing for one that is taken.
    private func mistakes(
        _ change: (inout gatehouse_foreign_plugin_v1) -> Void
    ) -> [String] {
        var table = unsafe Self.sound
        unsafe change(&table)
        return unsafe withUnsafePointer(to: table) { address in
            do throws(LoadingError) {
                _ = unsafe try ForeignPlugin(copying: UnsafeRawPointer(address))
                return []
            } catch {
                return error.sentences
            }
        }
    }

    @Test func `a table with one function is enough`() {
        #expect(unsafe mistakes { _ in } == [])
        #expect(
            unsafe mistakes {
                unsafe $0.run_after = nil
                unsafe $0.handle = { _, _, _ in 0 }
            } == [])
    }

    @Test func `a table without a function that hears anything is refused`() {
        #expect(
            unsafe mistakes { unsafe $0.run_after = nil } == [
                "its table has none of handle, run_after, reduce and intercept, so it would do nothing; give it one of them"
            ])
    }

    @Test func `what an older plugin's table does not reach to counts as not there`() {
        let upToRunAfter = UInt32(
            unsafe MemoryLayout<gatehouse_foreign_plugin_v1>.offset(of: \.initial_state) ?? 0)
        #expect(
            unsafe mistakes {
                unsafe $0.size = upToRunAfter
                // Whatever lies past the table.
                unsafe $0.reduce = { _, _, _, _, _ in }
            } == [])
        for size in [upToRunAfter - 8, 16] {
            #expect(
                unsafe mistakes { unsafe $0.size = size } == [
                    "its table has none of handle, run_after, reduce and intercept, so it would do nothing; give it one of them"
                ])
        }
    }

    @Test func `of a later plugin's table what is known is taken`() {
        let size = unsafe MemoryLayout<gatehouse_foreign_plugin_v1>.size
        let room = UnsafeMutableRawPointer.allocate(byteCount: size + 64, alignment: 8)
        defer { unsafe room.deallocate() }
        unsafe room.initializeMemory(as: UInt8.self, repeating: 0xFF, count: size + 64)
        var table = unsafe Self.sound
        unsafe table.size = UInt32(size + 64)
        unsafe room.copyMemory(from: &table, byteCount: size)
        #expect(throws: Never.self) { unsafe try ForeignPlugin(copying: room) }
    }

    @Test(arguments: [0, 8, 17] as [UInt32])
    func `a size that no table has is refused`(size: UInt32) {
        #expect(
            unsafe mistakes { unsafe $0.size = size } == [
                "its table: expected a size of 16 bytes or more, in steps of 8, found \(size); write sizeof the table into it"
            ])
    }

    @Test func `a reducer needs a first state, a version and a way from older ones, all told at once`() {
        #expect(
            unsafe mistakes { unsafe $0.reduce = { _, _, _, _, _ in } } == [
                "its table has reduce, but no initial_state; give it that function too",
                "its table's state_version: expected 1 or more beside reduce, found 0; begin with 1",
            ])
        #expect(
            unsafe mistakes {
                unsafe $0.reduce = { _, _, _, _, _ in }
                unsafe $0.initial_state = { _, _, _ in }
                unsafe $0.state_version = 3
            } == [
                "its table's state_version is 3, but there is no migrate to read older forms; give it that function, or begin with 1"
            ])
        // There is nothing older than the first version.
        #expect(
            unsafe mistakes {
                unsafe $0.reduce = { _, _, _, _, _ in }
                unsafe $0.initial_state = { _, _, _ in }
                unsafe $0.state_version = 1
            } == [])
    }

    @Test func `a state without a reducer is refused`() {
        #expect(
            unsafe mistakes { unsafe $0.state_version = 1 } == [
                "its table has initial_state, migrate or a state_version, but no reduce, so it keeps no state; give it that function, or leave those out"
            ])
    }

    @Test func `what is reserved is NULL`() {
        #expect(
            unsafe mistakes { unsafe $0.reserved = UnsafeRawPointer(bitPattern: 8) } == [
                "its table's reserved: expected NULL, found an address; fill what is not used with zeros"
            ])
    }
}
