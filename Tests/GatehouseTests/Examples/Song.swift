// SPDX-License-Identifier: Apache-2.0

/// A song in the example about persistence.
struct Song: Shelved {
    let title: String
    var artist = ""

    /// A song without title cannot be kept.
    var refusal: SongError? { title.isEmpty ? .noTitle : nil }

    func answers(_ query: SongRequest) throws(SongError) -> Bool {
        switch query {
        case .all: return true
        case .artist(""): throw .noArtist
        case .artist(let artist): return self.artist == artist
        }
    }
}

/// Why a song cannot be kept or found.
enum SongError: Error, Equatable {
    case noTitle
    case noArtist
}

/// Which songs are wanted.
enum SongRequest: Sendable, Equatable {
    case all
    case artist(String)
}
