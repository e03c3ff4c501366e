// SPDX-License-Identifier: Apache-2.0

internal import CGatehouse
internal import GatehouseSDK

/// The checked functions of a loaded plugin in another language.
///
/// Each image has exactly one, so its identity distinguishes images.
///
/// ## Safety
/// The functions come from an image that stays mapped as long as the process.
@safe
final class ForeignPlugin {
    /// The table; functions beyond the end of the plugin's own are NULL.
    let table: gatehouse_foreign_plugin_v1

    /// Copies the table of a plugin.
    ///
    /// The table of an older plugin is smaller than this host's, that of a later one larger: both are
    /// accepted.
    ///
    /// - Throws: `foreignTable` with everything that is wrong with it.
    init(copying source: UnsafeRawPointer) throws(LoadingError) {
        let size = unsafe Int(source.loadUnaligned(as: UInt32.self))
        guard size >= Self.smallest, size % 8 == 0 else {
            throw .foreignTable([
                "its table: expected a size of \(Self.smallest) bytes or more, in steps of 8, found \(size); write sizeof the table into it"
            ])
        }
        var table = unsafe gatehouse_foreign_plugin_v1()
        unsafe withUnsafeMutableBytes(of: &table) { bytes in
            unsafe bytes.copyMemory(
                from: UnsafeRawBufferPointer(start: source, count: min(size, bytes.count)))
        }
        unsafe self.table = unsafe table
        let mistakes = mistakes
        guard mistakes.isEmpty else { throw .foreignTable(mistakes) }
    }

    /// The minimum size of a table in bytes: everything up to `create`.
    private static var smallest: Int { 16 }

    /// Whether the plugin keeps state.
    var keepsState: Bool { unsafe table.reduce != nil }

    /// Whether it intercepts actions.
    var intercepts: Bool { unsafe table.intercept != nil }

    /// Whether it can perform work that waits until the actions that led to it are durable.
    var performs: Bool { unsafe table.perform != nil }

    /// Whether it is called for actions before or after the reducers.
    var hears: Bool { unsafe table.handle != nil || table.run_after != nil }

    /// Combinations of functions that the plugin cannot have meant.
    private var mistakes: [String] {
        var mistakes: [String] = []
        if !hears, !keepsState, !intercepts {
            mistakes.append(
                "its table has none of handle, run_after, reduce and intercept, so it would do nothing; give it one of them"
            )
        }
        if keepsState {
            if unsafe table.initial_state == nil {
                mistakes.append("its table has reduce, but no initial_state; give it that function too")
            }
            if unsafe table.state_version == 0 {
                mistakes.append(
                    "its table's state_version: expected 1 or more beside reduce, found 0; begin with 1")
            }
            if unsafe table.state_version > 1, unsafe table.migrate == nil {
                mistakes.append(
                    unsafe "its table's state_version is \(table.state_version), but there is no migrate to read older forms; give it that function, or begin with 1"
                )
            }
        } else if unsafe table.initial_state != nil || table.migrate != nil || table.state_version != 0 {
            mistakes.append(
                "its table has initial_state, migrate or a state_version, but no reduce, so it keeps no state; give it that function, or leave those out"
            )
        }
        if unsafe table.reserved != nil {
            mistakes.append(
                "its table's reserved: expected NULL, found an address; fill what is not used with zeros")
        }
        return mistakes
    }

    /// Migrates the state of an older version to the present form.
    ///
    /// - Throws: when the plugin returns none, or no JSON.
    func migrate(_ state: Value, from version: Int) throws(CodingFailure) -> Value {
        let text = Array(state.json().utf8)
        let migrated = unsafe ReceivedText.of { receiver in
            unsafe withForeignText(text) { state in
                unsafe table.migrate?(UInt32(clamping: version), state, receiver)
            }
        }
        guard let migrated else {
            throw CodingFailure(
                pointer: .whole, expected: "a state that migrate can read",
                found: "one that it gives nothing for")
        }
        do {
            return try JSONText.parse(migrated)
        } catch {
            throw CodingFailure(
                pointer: .whole, expected: "JSON from migrate", found: "text that is not, \(error)")
        }
    }
}
