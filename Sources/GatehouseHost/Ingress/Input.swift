// SPDX-License-Identifier: Apache-2.0

/// Something that a run reads lines from.
public enum Input {
    /// A file or pipe, which ends; the descriptor is the caller's to close when the run is over.
    case stream(Int32, name: String)
    /// A socket that anybody with the right to may connect to; it never ends.
    case listener(ListeningSocket)
    /// A file that others write to, also when it is replaced; it never ends.
    case followed(FollowedFile)
}
