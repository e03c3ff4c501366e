// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The state of an instance outside of any plugin's image: as JSON, with the version of its form.
struct VersionedState: Equatable, Sendable {
    /// The version of the form, as the plugin counts that wrote it.
    let version: Int
    /// The state as JSON.
    let value: Value

    /// Lets a slice take it over, in the form that its plugin has now.
    ///
    /// - Throws: why it cannot be; the slice is as it was.
    func restore(_ slice: Slice, of exports: PluginExports) throws(StateRefusal) {
        do throws(CodingFailure) {
            try slice.restore(exports.migrate(value, from: version))
        } catch {
            throw StateRefusal(version: version, known: exports.stateVersion, failure: error)
        }
    }
}

/// Why a plugin does not take over the state of another image or run.
struct StateRefusal: Error, Equatable, Sendable {
    /// The version of the state.
    let version: Int
    /// The version that the plugin writes.
    let known: Int
    /// What does not fit.
    let failure: CodingFailure
}

extension StateRefusal: CustomStringConvertible {
    /// The sentence, for the operator who has put the plugin there.
    var description: String {
        let place = failure.pointer.tokens.isEmpty ? "" : "\(failure.pointer): "
        let advice =
            if version > known {
                "install a library that knows this version, or remove the state"
            } else if version < known {
                "correct the plugin's migrate"
            } else {
                "raise the plugin's stateVersion and let migrate read this form"
            }
        return
            "its state of version \(version) cannot be taken over: \(place)expected \(failure.expected), found \(failure.found); \(advice)"
    }
}

extension VersionedState {
    /// The state with its version, as a host and its children tell it to each other.
    var written: Value { ["version": Value(version), "value": value] }

    /// Reads such a state; nil for anything else.
    init?(written: Value) {
        guard let version = written["version"]?.intValue, let value = written["value"] else { return nil }
        self.init(version: version, value: value)
    }
}
