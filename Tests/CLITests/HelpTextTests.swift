// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct HelpTextTests {
    private let overview = """
        usage: gatehouse COMMAND [OPTIONS]

        Gatehouse runs actions through middlewares that it loads from plugin libraries.

          run        read actions, one JSON object a line, and run them
          check      say everything that is wrong with the configuration and its plugins
          list       show the instances in chain order, and what was left out
          plan       show who hears and emits what
          test       run the cases that say what the configuration does
          inspect    describe a library and tell whether it would be loaded
          validate   check that a plugin does what every plugin should
          probe      send actions to one plugin, and print what it does with each
          new        make the package of a plugin
          sdk        print the folder of the SDK that plugins of this host are built with
          ctl        ask a running host, and tell it what to do
          cluster    look at a cluster through its engine, and change it
          history    show what a journal tells about the past
          state      print the state as it was behind an action of the past
          replay     try a configuration or a library on the actions of a journal
          backup     copy a journal, also beside the host that writes it
          restore    put a backup in the place of a journal
          version    print the version, the SDK fingerprint and the compiler
          help       explain a command

        Exit codes:
          0    done
          64   usage
          65   bad data
          69   plugin refused
          70   internal error
          74   journal failed
          75   something accepted was not done
          78   configuration

        """

    private let run = """
        usage: gatehouse run [--config FILE|--plugins DIR] [--input FILE]... [--tail FILE]...
                             [--listen ADDRESS]... [--print state|actions|none]
                             [--wrap TYPE|--wrap-at POINTER] [--strict|--max-rejected N] [--keep-going]
                             [--accept-loss] [--reduce-with-present] [--strict-start] [--watch]
                             [--grace SECONDS] [--supervise] [--watchdog SECONDS] [--profile] [--name NAME]
                             [--control|--no-control]

        Loads the plugins that the configuration names, reads actions from its inputs, one JSON
        object a line, and runs them. Ends when the inputs and every effect they started are
        finished, or in good order at SIGINT or SIGTERM; at a second one at once. A socket that it
        listens at and a file that it follows never end.

          --config FILE           the configuration (default plugins.json)
          --plugins DIR           the plugins in a folder, without a configuration
          --input FILE            the actions; - for standard input, which is read when no other
                                  input is named; may be given several times
          --tail FILE             a file that others write to and replace, from where the run
                                  before has ended; may be given several times
          --listen ADDRESS        where writers connect, such as unix:in.sock; with ?ack behind it
                                  they are told what is done; may be given several times
          --print WHAT            state: the final state as JSON (default)
                                  actions: each action as it is processed, one JSON object a line
                                  none: nothing
          --wrap TYPE             each line, any JSON, is the payload of an action of this type
          --wrap-at POINTER       the same, with the type that stands in the line at a JSON
                                  Pointer
          --strict                stop at the first bad line or payload with exit code 65, end
                                  with it when an instance failed, and refuse plugins that their
                                  group may write to
          --max-rejected N        stop when more than N lines are rejected or refused; N% is
                                  looked at in the end; both end with exit code 65
          --keep-going            leave out plugins that are refused or missing, run the rest, and
                                  end with exit code 69
          --accept-loss           go on without actions that cannot be read from the journal any
                                  more, instead of not starting
          --reduce-with-present   after a crash, let the present configuration reduce actions
                                  whose own generation cannot run here any more
          --strict-start          end a service whose configuration is refused, instead of running
                                  the last good generation from its journal
          --watch                 look at the configuration again when it or a library has
                                  changed; SIGHUP and the action host/reload ask for that too
          --grace SECONDS         how long effects that finish may take at the end (default 10);
                                  what is given up then ends the run with exit code 75
          --supervise             watch the host from a process of its own, say which plugin has
                                  ended it, and start it again
          --watchdog SECONDS      how long one call of a plugin may take before it is told of
                                  (default 10); 0 for any time
          --profile               time each action, and tell at the end where the time went
          --name NAME             what gatehouse ctl calls the host (default: the name that the
                                  configuration gives, or that of its folder)
          --control               let gatehouse ctl reach the host, whatever the configuration
                                  says
          --no-control            let nobody reach it

        A bad line is reported on standard error as FILE:LINE:COLUMN: REASON, counted and skipped;
        when no line is good, the exit code is 65. Of reports that are alike, the first hundred
        are shown. Results go to standard output, words to standard error.

        Exit codes:
          0    done
          64   the command line makes no sense, or the input cannot be read
          65   bad data
          69   a plugin was refused
          70   results cannot be written, or a plugin ended the process
          74   the journal cannot be opened, read or written
          75   something accepted was not done
          78   the configuration is wrong

        """

    private let check = """
        usage: gatehouse check [--config FILE|--plugins DIR] [--rehearse] [--strict] [--json]

        Judges the configuration and the libraries that it names, as run does before it starts.
        Loads nothing, so that no code of a plugin runs, unless it is to rehearse.

          --config FILE   the configuration (default plugins.json)
          --plugins DIR   the plugins in a folder, without a configuration
          --rehearse      try the plugins in a child process too, up to where they would start
          --strict        refuse plugins that their group may write to
          --json          print what was found as one JSON object, instead of words

        Exit codes:
          0    nothing keeps the host from starting
          69   a plugin would be refused
          78   the configuration is wrong

        """

    private let list = """
        usage: gatehouse list [--config FILE|--plugins DIR] [--json]

        Shows the instances in chain order: plugin, library, gate, what each hears and emits, and
        where its slice is; then the libraries in the folder that take no part. Loads nothing.
        What is refused is shown with the reasons.

          --config FILE   the configuration (default plugins.json)
          --plugins DIR   the plugins in a folder, without a configuration
          --json          print one JSON object

        Exit codes:
          0    nothing keeps the host from starting
          69   a plugin would be refused
          78   the configuration is wrong

        """

    private let plan = """
        usage: gatehouse plan [--config FILE|--plugins DIR] [--json|--graph] [TYPE]

        Shows what would run, in which order, and for each action type who emits it and who hears
        it, behind which gate, as manifests and configuration declare it. Loads nothing.

          TYPE            only the route of this type, or those below a pattern such as orders/*
          --config FILE   the configuration (default plugins.json)
          --plugins DIR   the plugins in a folder, without a configuration
          --json          print one JSON object
          --graph         print a graph in the DOT language

        Exit codes:
          0    nothing keeps the host from starting
          69   a plugin would be refused
          78   the configuration is wrong

        """

    @Test(arguments: [[], ["help"], ["--help"], ["-h"]] as [[String]])
    func `the overview lists the commands and the exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == overview)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    private let test = """
        usage: gatehouse test [--config FILE] [--limit SECONDS] [--json] [FILE...]

        Runs the cases of each file, one after the other, each on a host of its own that begins
        anew: actions in, actions and state expected. Time stands still unless a case moves it,
        data of instances goes to a folder that is removed, and neither state file nor sockets are
        touched. Effects are real where a case does not stub them.

        Tells each case in one line, and of one that has failed where and what differs: - what was
        expected, + what was found.

          FILE              the cases (default: those beside the configuration, plugins.test.json
                            beside plugins.json)
          --config FILE     the configuration, in place of the one that a file of cases names
          --limit SECONDS   how long the effects of one step may take (default 10)
          --json            print what came of each case as one JSON object, instead of words

        Exit codes:
          0    all cases have passed
          65   a case has failed
          69   a plugin was refused
          70   results cannot be written, or a plugin ended the process
          78   a file of cases or a configuration is wrong

        """

    @Test(arguments: [["help", "test"], ["test", "--help"], ["test", "x.test.json", "-h"]])
    func `test is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == test)
        #expect(outcome.exitCode == 0)
    }

    private let inspect = """
        usage: gatehouse inspect FILE [--json]

        Tells everything about a library without running any of it: what it is, what it says about
        itself, what it needs, in what it differs from this host, and whether it would be loaded.
        Takes files of any kind, also for other machines or another SDK.

          --json   one JSON object instead of text

        Exit codes:
          0    it would be loaded
          69   it would be refused
          64   it cannot be read

        """

    @Test(arguments: [["help", "inspect"], ["inspect", "--help"], ["inspect", "x.so", "-h"]])
    func `inspect is explained with its exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == inspect)
        #expect(outcome.exitCode == 0)
    }

    private let validate = """
        usage: gatehouse validate [FILE] [--only NAMES] [--input FILE] [--seed N] [--settings FILE]
                                  [--states FILE] [--list] [--json]

        Does many checks on one library and tells of each whether it is passed: pass, warn, fail,
        crash or skip. What can be told from its bytes is told from them. Each other check runs
        code of the plugin, in a process of its own that is ended when its time or memory is used
        up, with all that the plugin has started there.

        Payloads are made up: what the plugin takes is found out by asking it. So the plugin does
        what it does with real actions; what it reaches over a network, it reaches.

          FILE              the plugin
          --only NAMES      only these checks or groups, such as actions,state/round-trip
          --input FILE      actions that the plugin is to hear too, one JSON object a line
          --seed N          make other random payloads (default 1)
          --settings FILE   the settings of instances, one JSON object (default {})
          --states FILE     states of earlier versions that the plugin is to take over, one object
                            a line such as {"version":1,"state":{}}
          --list            print the checks, and do none
          --json            print one JSON object

        Exit codes:
          0    no check failed or crashed
          69   a check failed or crashed
          64   the library or the input cannot be read

        """

    @Test(arguments: [["help", "validate"], ["validate", "--help"], ["validate", "x.so", "-h"]])
    func `validate is explained with its exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == validate)
        #expect(outcome.exitCode == 0)
    }

    private let probe = """
        usage: gatehouse probe FILE [--settings FILE] [--state FILE] [--clock TIME] [--limit SECONDS]

        Reads lines of JSON from standard input and answers each with one line on standard output,
        so that a test in any language can drive a plugin: an action under its local name, such as
        {"type":"hello"}; {"advance":"5s"} moves the clock; {"gate":"bypass"} and
        {"gate":"active"} move the gate. A first line tells what the plugin did when it started,
        and a last one, at the end of the input, when it was stopped.

        An answer comes when all effects of its line have ended, or sleep until the clock is
        moved. The clock of the host stands still otherwise; threads of a plugin's own and
        services that it calls take the time that they take. Data of the instance goes to a folder
        that is removed. What the plugin prints goes to standard error.

          FILE              the plugin
          --settings FILE   the settings of the instance, one JSON object (default {})
          --state FILE      the state that an earlier version has left, such as
                            {"version":1,"state":{}}
          --clock TIME      the time when the plugin starts (default 2001-09-09T01:46:40Z)
          --limit SECONDS   how long the effects of one line may take (default 10)

        An answer has did (start, action, advance, gate, stop or nothing) and, where there is
        something to tell: passed, what an interceptor let through; emitted, the actions of the
        plugin; state, when it has changed; log and reports, lines of the plugin and about it;
        running, how many effects sleep or go on; error, why the line was not done.

        Exit codes:
          0    every line was done, and nothing was reported as wrong
          64   the settings or the state cannot be read
          65   a line was wrong, did not end in time, or led to a report
          69   the library is refused
          70   results cannot be written, or the plugin ended the process

        """

    @Test(arguments: [["help", "probe"], ["probe", "--help"], ["probe", "x.so", "-h"]])
    func `probe is explained with its exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == probe)
        #expect(outcome.exitCode == 0)
    }

    private let new = """
        usage: gatehouse new NAME [--template effect|reducer|interceptor|observer|c|rust] [--sdk DIR]

        Makes a folder NAME with a plugin, its tests, a configuration that gates it by an action,
        cases for gatehouse test, a sample of input, a Makefile and what CI runs. It builds,
        passes its tests and loads as it is, here and wherever else it is copied: its Makefile
        asks the host where the SDK is. The SDK is built once for all plugins, in the user's
        cache.

          NAME              a Swift type such as RateLimiter; the plugin's id is then rate-limiter
          --template WHAT   effect: it answers actions (default)
                            reducer: it keeps a state
                            interceptor: it stops, changes or delays actions
                            observer: it hears everything and emits nothing
                            c: it answers actions, in C
                            rust: it answers actions, in Rust
          --sdk DIR         the folder of the SDK (default: what gatehouse sdk prints)

        Exit codes:
          0    the package is there
          64   the name cannot be used, or something is there already
          69   there is no SDK, or another one
          70   the package cannot be written

        """

    private let sdk = """
        usage: gatehouse sdk [--json|--environment]

        Prints the folder of the SDK's sources that were installed with this host, or that it was
        built from, when its fingerprint is still that of the host. GATEHOUSE_SDK in the
        environment names another folder. With --json also version, fingerprint and build
        configuration.

        With --environment, eval sets what a build for this host needs: GATEHOUSE_SDK, the folder;
        GATEHOUSE_MANIFEST_TOOL, the tool that embeds manifests, so that no build has to make it;
        GATEHOUSE_CONFIGURATION, debug or release, as this host was built; GATEHOUSE_SCRATCH,
        where SwiftPM builds the SDK once for all plugins.

          --json          print one JSON object
          --environment   print the variables for building plugins, for a shell

        Exit codes:
          0    done
          69   there is no SDK, or another one

        """

    @Test(arguments: [["help", "new"], ["new", "--help"], ["new", "Foo", "-h"]])
    func `new is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == new)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [["help", "sdk"], ["sdk", "--help"], ["sdk", "--json", "-h"]])
    func `sdk is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == sdk)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [["help", "run"], ["run", "--help"], ["run", "--strict", "-h"]])
    func `run is explained with all its options`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == run)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["check", "list", "plan"])
    func `the commands that load nothing are explained with all their options`(command: String) throws {
        let text = ["check": check, "list": list, "plan": plan][command]
        #expect(try ChildProcess.run(arguments: ["help", command]).output == text)
        #expect(try ChildProcess.run(arguments: [command, "--help"]).output == text)
    }

    private let version = """
        usage: gatehouse version [--json]

        Prints the version of this host, and what a plugin must have in common with it: ABI
        number, SDK fingerprint, compiler, target and build configuration.

          --json   print one JSON object

        """

    private let control = """
        usage: gatehouse ctl [--name NAME|--socket PATH] [--json] [--instance ID] [--state POINTER]
                             [--expect N] [--rehearse-with-history N] [--strict] [--catch-up] [--once]
                             [--limit N|--show ID|--all] [--action ACTION|--kind KIND] REQUEST [WORD...]

        Asks a running host of this user, or tells it what to do. Root may ask every host.

        status: what there is to know. top: the same, every second, until q is pressed. state
        [POINTER]: the state, or what is at a JSON Pointer in it. watch [TYPE...]: each action as
        it is processed, or those of types such as orders/*. metrics: numbers for Prometheus.
        hosts: the hosts that run.

        dispatch TYPE [JSON]: process an action with this payload, and all that it leads to;
        dispatch ACTION one that is written as a JSON object, dispatch - those on standard input,
        one JSON object a line. open ID, close ID: move the gate of an instance; also gate ID
        open|close. release NAME: let an instance, a plugin or a digest out of quarantine; what
        its instances have missed is skipped, unless --catch-up is given. plan: what a reload
        would change. reload: read the configuration again. stop: end the run in good order, and
        wait for its end.

        cluster: the members and partitions of the cluster that the host is in. cluster drain
        HOST: let a member hand its partitions over and take none; cluster undrain HOST: let it
        take some again. cluster reload: let all members read their configurations again, one
        after the other.

        dead-letters: actions that came to nothing, oldest first: what an instance could not read,
        might not emit, emitted too late or has not done, and what only instances in quarantine
        would have heard. redispatch ID...: process the actions of these once more, as if they
        were dispatched now, for all who hear them; a letter is gone when it was processed. With
        --action another one is processed in its place. discard ID...: throw letters away.

          REQUEST                     what is asked for
          WORD                        what the request is about
          --name NAME                 the host with this name (default: the only one that runs)
          --socket PATH               the host whose control socket is there
          --json                      print JSON
          --instance ID               watch: only what this instance emits
          --state POINTER             watch: changes of the state there, alone or besides
          --expect N                  reload: only if the generation is still N
          --rehearse-with-history N   reload: first try the new generation on the newest N actions
                                      of the journal, in a child process; what ends that refuses
                                      the reload, what differs is told
          --strict                    reload: what differs on the way refuses it too
          --catch-up                  release: first let the reducers go over what the instances
                                      have missed, in a child process; what ends that refuses the
                                      release
          --once                      top: print one page, without a terminal
          --limit N                   dead-letters: only the newest N
          --show ID                   dead-letters: only this one, with its action
          --all                       redispatch, discard: every dead letter, or those of a
                                      --kind; cluster: every partition
          --action ACTION             redispatch: dispatch this action in place of the one that
                                      was kept
          --kind KIND                 dead-letters, redispatch --all, discard --all: only those of
                                      a kind: misfit, refused-output, late, set-aside, failed,
                                      quarantined, unfinished, stopped, gated, refused-input

        Exit codes:
          0    done
          64   the host refused what was asked for
          65   it reported bad data, or has nothing there
          69   no host answers
          75   it is busy, or let go of a reader that does not read
          78   a reload was refused

        """

    @Test(arguments: [["help", "ctl"], ["ctl", "--help"], ["ctl", "status", "-h"]])
    func `ctl is explained with its requests and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == control)
        #expect(outcome.exitCode == 0)
    }

    private let cluster = """
        usage: gatehouse cluster [--config FILE] [--json] [--limit N|--show LETTER] [--discard ID]...
                                 [--dry-run] REQUEST [WORD...]

        Speaks to the engine of the cluster that the configuration names, and to no host, so that
        it also works when no member runs. See gatehouse ctl cluster for what a member knows.

        status: members, and partitions that nobody processes or that are behind. dead-letters:
        actions that were set aside because they have ended their hosts again and again, oldest
        first; a letter is named by its partition and its place there, such as 7:1795318121367-0.
        redispatch LETTER...: put the actions of these behind all others of their keys; remove
        LETTER...: forget them.

        resize PARTITIONS: divide what the cluster has among another number of partitions, while
        no member is there. Actions that wait go to where their keys belong. Of the state of an
        instance, "split" in the configuration says which objects have keys as the names of their
        members; each member goes where its key belongs, and everything else must be the same in
        all partitions. All is written beside what there is, and takes its place at once in the
        end; what has come to nothing in between does no harm.

          REQUEST         what is asked for
          WORD            what the request is about
          --config FILE   the configuration that names the cluster (default plugins.json)
          --json          print one JSON object
          --limit N       dead-letters: only the newest N (default 100)
          --show LETTER   dead-letters: only this one, with its action
          --discard ID    resize: let this instance begin anew in all partitions
          --dry-run       resize: only say what would be done

        Exit codes:
          0    done
          64   there is no such dead letter
          65   the cluster cannot be resized as it is
          69   the engine does not answer, or has no such cluster
          75   members are there
          78   the configuration is wrong or names no cluster

        """

    @Test(arguments: [["help", "cluster"], ["cluster", "--help"], ["cluster", "status", "-h"]])
    func `the cluster is explained with its requests and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == cluster)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    private let history = """
        usage: gatehouse history [--config FILE] [--journal DIR] [--type TYPE] [--instance ID]
                                 [--from WHERE] [--to WHERE|--follow] [--last N|--causes N] [--payload]
                                 [--tree|--json]

        Shows the actions that reached the reducers, in that order: number, moment, type, and what
        led to each: a line of an input, or the answer, effect or own change of an instance while
        an action with some number was in hand. Only reads, also beside the host that writes the
        journal.

          --config FILE   the configuration that names the journal (default plugins.json)
          --journal DIR   the journal in a folder (default: the one that the configuration names)
          --type TYPE     only actions of this type, or of those below a pattern such as orders/*
          --instance ID   only what this instance emitted
          --from WHERE    from this action on: its number, or when it was written down, such as
                          2026-01-31T12:00:00Z
          --to WHERE      up to this action
          --follow        go on with what a running host writes, until it is interrupted
          --last N        only the newest N of them (default on a terminal: 20, where neither
                          --from nor --to says otherwise)
          --causes N      the action N, all that led to it, and all that it led to
          --payload       show payloads too
          --tree          show each action below the one that led to it
          --json          print one JSON object a line

        Exit codes:
          0    done
          65   the journal cannot be read, a part of it is missing, or it has no such action
          78   the configuration is wrong or names no journal

        """

    @Test(arguments: [["help", "history"], ["history", "--help"], ["history", "-h"]])
    func `the history is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == history)
        #expect(outcome.exitCode == 0)
    }

    private let state = """
        usage: gatehouse state [--config FILE] [--journal DIR] [--at N] [POINTER]

        Takes the newest snapshot before that action, lets the reducers of the configuration go
        over what came after it, and prints the state as JSON. No middleware hears of it, and
        nothing is written; works beside a running host.

          POINTER         only what is at this JSON Pointer
          --config FILE   the configuration whose plugins read the state (default plugins.json)
          --journal DIR   the journal in a folder (default: the one that the configuration names)
          --at N          behind the action N; 0 for the beginning (default: behind the last one)

        Exit codes:
          0    done
          65   the journal cannot be read, or has no such action, or the state nothing there
          69   a plugin was refused
          78   the configuration is wrong or names no journal

        """

    @Test(arguments: [["help", "state"], ["state", "--help"], ["state", "-h"]])
    func `the state of then is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == state)
        #expect(outcome.exitCode == 0)
    }

    private let backup = """
        usage: gatehouse backup [--config FILE] [--journal DIR] TARGET

        Copies the journal as it is at one moment, reads the copy from beginning to end, and only
        then gives it its name. gatehouse restore puts it in the place of the journal.

          TARGET          the file that is made; nothing may be there
          --config FILE   the configuration that names the journal (default plugins.json)
          --journal DIR   the journal in a folder (default: the one that the configuration names)

        Exit codes:
          0    the copy is there and whole
          64   something is there already, or the copy cannot be written
          65   the journal cannot be read, or is damaged
          78   the configuration is wrong or names no journal

        """

    @Test(arguments: [["help", "backup"], ["backup", "--help"], ["backup", "-h"]])
    func `the backup is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == backup)
        #expect(outcome.exitCode == 0)
    }

    private let restore = """
        usage: gatehouse restore [--config FILE] [--journal DIR] FILE

        Reads the backup from beginning to end before it changes anything, and refuses while a
        host uses the journal. The journal from before stays in the folder, as
        journal.sqlite.before-restore- with the moment. Until all is done no host starts on it;
        after an interruption, run the command again.

          FILE            the backup; it stays as it is
          --config FILE   the configuration that names the journal (default plugins.json)
          --journal DIR   the journal in a folder (default: the one that the configuration names)

        Exit codes:
          0    the next host continues with the backup
          64   there is no such backup, or the folder cannot be written to
          65   the backup is damaged; nothing was changed
          74   a host uses the journal, or a file cannot be written
          78   the configuration is wrong or names no journal

        """

    @Test(arguments: [["help", "restore"], ["restore", "--help"], ["restore", "-h"]])
    func `restoring is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == restore)
        #expect(outcome.exitCode == 0)
    }

    private let replay = """
        usage: gatehouse replay [--config FILE] [--journal DIR] [--with LIB] [--against FILE] [--from N]
                                [--to N] [--last N] [--json]

        Dispatches each action that came in, or came later from an effect, once more to the
        middlewares of a configuration, compares what follows from it at once with what followed
        then, and the state in the end with the one to which the recorded actions lead. Effects
        are not run, and clocks show the time of then. Nothing is written, and data of instances
        goes to a folder that is removed; works beside a running host.

        Actions that are not the same are shown in the order of the record, at most 20 of each
        kind; --json tells up to 1,000.

          --config FILE    the configuration that is tried (default plugins.json)
          --journal DIR    the journal in a folder (default: the one that the configuration names)
          --with LIB       use this library in the place of those with the same plugin id
          --against FILE   the configuration whose reducers make the state to compare with
                           (default: that of --config, without --with)
          --from N         begin with the action N (default: the first that is kept)
          --to N           end with the action N (default: the last one)
          --last N         only the newest N actions
          --json           print one JSON object

        Exit codes:
          0    all is the same
          65   something differs, or the journal cannot be read
          69   a plugin was refused
          70   the result cannot be written, or a plugin ended the process
          78   a configuration is wrong or names no journal

        """

    @Test(arguments: [["help", "replay"], ["replay", "--help"], ["replay", "-h"]])
    func `a replay is explained with its options and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == replay)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [["help", "version"], ["version", "--help"], ["--version", "-h"]])
    func `version is explained with its option`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == version)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: [["help", "help"], ["help", "--help"]])
    func `help is explained too`(arguments: [String]) throws {
        #expect(
            try ChildProcess.run(arguments: arguments).output
                == "usage: gatehouse help [COMMAND]\n\nExplains a command, or lists them all.\n")
    }

    @Test func `no line of help is wider than 100 columns`() {
        let all =
            overview + run + check + list + plan + test + inspect + validate + probe + new + sdk + control
            + version
        #expect(all.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test(arguments: ["version", "--version"])
    func `version tells what a plugin must have in common with the host`(command: String) throws {
        let outcome = try ChildProcess.run(arguments: [command])
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(
            lines.map { $0.prefix { $0 != " " } } == [
                "gatehouse", "abi", "sdk", "compiler", "target", "configuration",
            ])
        #expect(lines[2].count == "sdk ".count + 64)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["version", "--version"])
    func `version for programs is one object with the same facts`(command: String) throws {
        let words = try ChildProcess.run(arguments: [command]).output
        let outcome = try ChildProcess.run(arguments: [command, "--json"])
        let facts = try JSONText.parse(outcome.output)
        #expect(
            facts.objectValue?.keys == ["gatehouse", "abi", "sdk", "compiler", "target", "configuration"])
        #expect(facts["abi"]?.intValue != nil)
        let lines = facts.objectValue?.map { "\($0.key) \($0.value.stringValue ?? $0.value.json())\n" }
        #expect(lines?.joined() == words)
        #expect(outcome.exitCode == 0)
    }
}
