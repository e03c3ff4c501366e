// SPDX-License-Identifier: Apache-2.0

package import CLinux

/// Who did what with which action, as a flight recorder tells it.
package struct FlightRecord: Equatable, Sendable {
    /// How it is known who it was.
    package enum Blame: String, Codable, Sendable {
        /// It is not known.
        case nobody
        /// By what the drain was doing, or the effect whose task it was.
        case record
        /// By the libraries among the frames of the thread that died.
        case frames
    }

    /// Where it was.
    package enum Store: Equatable, Sendable {
        /// In the host's own store, or nowhere.
        case host
        /// In a partition of a cluster, by its number; nil where it is not known which.
        case partition(Int?)
    }

    /// How a process ended that no signal has ended.
    package enum End: UInt32, Sendable {
        /// By a call of `exit`, `_exit` or `quick_exit` that the host did not make.
        case exit = 1
        /// Its main thread ended.
        case mainThread = 2
        /// A thread ended that had the right to drain.
        case otherThread = 3
        /// Somebody had closed descriptors of the host.
        case descriptors = 4
    }

    /// How it is known.
    package var blame: Blame
    /// Where it was.
    package var store: Store
    /// What a plugin's code was called for; nil where that is not known.
    package var step: PluginStep?
    /// The signal that was fatal; 0 for none.
    package var signal: Int32 = 0
    /// Whether another process has sent the signal.
    package var isSent = false
    /// How the process ended, where no signal was fatal.
    package var end: End?
    /// The id of the instance; nil where it is not known, or not which of several.
    package var instance: String?
    /// The id of the plugin; nil where it is not known.
    package var plugin: String?
    /// Names the bytes of the plugin, in hexadecimal; nil for a plugin that is linked in.
    package var digest: String?
    /// The number of the action in hand, or of the one that has begun the effect; nil where there was none, or one that interceptors decided about.
    package var sequence: UInt64?
    /// The global type of the action in hand.
    package var type: String?
    /// The input that it goes back to; nil where that is not known.
    package var input: InputOrigin?
    /// The sentence about it, without an end mark.
    package var sentence: String

}

extension FlightRecord {
    /// An account of which no more is known.
    package init(blame: Blame, store: Store, sentence: String) {
        self.blame = blame
        self.store = store
        self.sentence = sentence
    }

    /// What C has read from a flight recorder; nil when nothing is running and nobody has died.
    package init?(_ account: gatehouse_account) {
        guard account.blame != UInt32(GATEHOUSE_BLAME_NOBODY) || account.signal != 0 || account.end != 0
        else { return nil }
        blame =
            account.blame == UInt32(GATEHOUSE_BLAME_RECORD)
            ? .record : account.blame == UInt32(GATEHOUSE_BLAME_FRAMES) ? .frames : .nobody
        store =
            account.store == UInt32(GATEHOUSE_STORE_HOST)
            ? .host
            : .partition(account.store == UInt32(GATEHOUSE_STORE_PARTITION) ? Int(account.partition) : nil)
        step = PluginStep(rawValue: UInt64(account.step))
        signal = account.signal
        isSent = account.is_sent != 0
        end = End(rawValue: account.end)
        instance = FlightRecorder.text(account.instance)
        plugin = FlightRecorder.text(account.plugin)
        digest = FlightRecorder.text(account.digest)
        sequence = account.sequence == 0 ? nil : account.sequence
        type = FlightRecorder.text(account.type)
        let place = FlightRecorder.text(account.file).map {
            InputOrigin.Place(file: $0, line: account.line, isReadAgain: account.is_read_again != 0)
        }
        input =
            place == nil && account.input == 0
            ? nil : InputOrigin(number: account.input == 0 ? nil : account.input, place: place)
        var account = account
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe gatehouse_account_sentence(&account, &bytes, bytes.count)
        sentence = String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// The input that an action goes back to.
package struct InputOrigin: Hashable, Sendable {
    /// A line of an input.
    package struct Place: Hashable, Sendable {
        /// What messages call the input.
        package let file: String
        /// The line in it, from 1.
        package let line: UInt64
        /// Whether the next run of the host reads the same line from there once more.
        package let isReadAgain: Bool
    }

    /// Its number in the journal; nil where there is none.
    package let number: UInt64?
    /// Where it came from; nil where that is not known.
    package let place: Place?

    /// An origin by its number, its place, or both.
    package init(number: UInt64?, place: Place?) {
        self.number = number
        self.place = place
    }
}

/// What a plugin's code is called for.
package enum PluginStep: UInt64, Sendable, CaseIterable {
    /// To decide about an action.
    case intercept = 1
    /// To look at an action.
    case handle = 2
    /// To change its state.
    case reduce = 3
    /// For what its middleware has answered; effects begin there.
    case answer = 4
    /// To hear that its gate has moved.
    case gate = 5
    /// To begin.
    case start = 6
    /// To end.
    case stopping = 7
    /// Beside the drain: in an effect, or on a thread of its own.
    case aside = 8
    /// Beside the drain, in an effect.
    case effect = 9
    /// To let go of an effect.
    case cancel = 10
    /// To begin work that has waited.
    case perform = 11
    /// On a thread that it has made.
    case thread = 12
    /// To read its state of another version.
    case migrate = 13

    /// What files and clients call it.
    package var word: String { "\(self)" }
}

/// A call of a plugin's code, as words that only say whether it is still the same.
package struct RecordedCall: Equatable, Sendable {
    /// The number of the drain that is in it; 0 for that of the host itself.
    package let drain: Int
    /// The partition whose drain it is; nil for the host's own.
    package let partition: Int?
    /// Whose code it is, and what for.
    package let work: UInt64
    /// The number of the action in hand, or of the last one.
    package let sequence: UInt64
}
