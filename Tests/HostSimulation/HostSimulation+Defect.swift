// SPDX-License-Identifier: Apache-2.0

extension HostSimulation {
    /// A mistake that is planted, to see whether the simulation finds it.
    package enum Defect: Sendable {
        /// The disk says that it has synced, and has not.
        case lyingDisk
        /// The host tells writers that their actions are safe before they are committed.
        case earlyAcknowledgement
        /// The host forgets to take note of names.
        case forgottenNames
        /// The crash ledger gets its name before its contents are on the disk.
        case unsyncedLedger
        /// The supervisor goes on before the name of the crash ledger is on the disk.
        case unnamedLedger
        /// The host takes every second checkpoint of a worker for one that it has had.
        case lostCheckpoints
        /// A worker's process begins without the state of the one before.
        case lostState
        /// A host does not show the worker what the one before has left.
        case lostActions
        /// A worker holds back the beginnings of effects of an action that it is shown once more, until it hears another one.
        case lateBeginnings
        /// What stands in the journal for an action ends when the worker is given it, and not with the checkpoint.
        case hastyEnds
        /// The journal has what a checkpoint ends before it has what that has emitted.
        case splitCheckpoints
        /// What stands in the journal for actions whose effects have not ended ends when the worker is given up.
        case silentEnds
        /// A worker that is shown an action once more begins effects of it that have ended, too.
        case revivedEffects
        /// Effects that do not begin again end with a worker's process, and nobody is told.
        case silentInterruptions
        /// An instance that comes from a worker begins no effects of an action that was not answered there.
        case forgottenEffects
        /// What stands for an action that leaves a worker ends before the journal has what the action emits on the spot.
        case hastyMoves
        /// At a reload the next worker is not given what the one before has not answered.
        case lostHandOver
        /// A snapshot has the worker's state of the last checkpoint, and not the one after its last action.
        case staleCopies
        /// The record of a generation has no migrated state of the worker.
        case lostMigrations
        /// The record of a generation has the state that the worker has migrated, without what it has reduced since.
        case staleRecords
        /// The record of a generation that comes back, because the next one has failed, has no state.
        case lostReturns
        /// What a worker emits on the spot follows from nothing that is known.
        case lostOrigins
        /// What the effects emit that begin again in another process of a worker follows from nothing that is known.
        case lostResumptions
        /// Nothing tells by whom actions are emitted that follow from another one.
        case namelessEmitters
        /// An instance begins without its state when one has ended the process that it shares with that.
        case forgottenNeighbours
        /// Deaths of a worker's processes are not counted.
        case forgottenDeaths
        /// What an interceptor emits in place of an input follows from nothing that is known.
        case lostInterceptions
        /// What a gate ends that closes stays in the journal until the effects have ended by themselves.
        case lingeringEffects
        /// A worker's process is not told where the gate stands that has moved before it began.
        case forgottenGates
        /// A restore forgets how often the journal was opened that it takes the place of.
        case forgottenOpenings
    }
}
