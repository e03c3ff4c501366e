// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct HelpTextTests {
    private let overview = """
        usage: gatehouse COMMAND [OPTIONS]

        Gatehouse runs actions through middlewares that it loads from plugin libraries.

          run        read actions, one JSON object a line, and run them
          check      report every problem in the configuration and its plugins
          list       show the instances in chain order, and what was left out
          plan       show who hears and emits what
          pin        print how to vouch for libraries that nobody has signed
          add        take a library from an index to the plugin folder
          outdated   show the libraries of which an index has newer versions
          test       run a configuration's test cases
          inspect    describe a library and whether it would be loaded
          validate   check that a plugin does what every plugin should
          probe      send actions to one plugin, and print what it does with each
          sign       sign a library, or a list of what is withdrawn
          index      write the index of a folder of signed libraries
          new        create a plugin package
          sdk        print the folder of the SDK for building plugins for this host
          ctl        query and control a running host
          cluster    inspect and change a cluster through its engine
          history    show the actions that a journal has recorded
          state      print the state as of a past action
          replay     replay a journal's actions against a configuration or library
          backup     copy a journal, even while a host is writing it
          restore    replace a journal with a backup
          version    print the version, the SDK fingerprint and the compiler
          help       explain a command

        Exit codes:
          0    done
          64   usage
          65   bad data
          69   plugin refused
          70   internal error
          74   journal failed
          75   accepted work was left unfinished
          78   configuration

        """

    private let run = """
        usage: gatehouse run [--config FILE|--plugins DIR] [--input FILE]... [--tail FILE]...
                             [--listen ADDRESS]... [--print state|actions|none]
                             [--wrap TYPE|--wrap-at POINTER] [--strict|--max-rejected N] [--keep-going]
                             [--accept-loss] [--reduce-with-present] [--strict-start] [--watch]
                             [--grace SECONDS] [--supervise] [--watchdog SECONDS] [--debug-worker ID]...
                             [--profile] [--name NAME] [--control|--no-control]

        Loads the plugins that the configuration names, reads actions from its inputs, one JSON
        object a line, and runs them. Ends when the inputs and every effect they started are
        finished, or in good order on SIGINT or SIGTERM; on a second one, at once. A socket it
        listens at and a file it follows never end.

          --config FILE           the configuration (default plugins.json)
          --plugins DIR           the plugins in a folder, without a configuration
          --input FILE            the actions; - for standard input, which is read when no other
                                  input is named; may be given several times
          --tail FILE             a file to follow, also when it is rotated, resuming where the
                                  last run stopped; may be given several times
          --listen ADDRESS        where writers connect, such as unix:in.sock; with ?ack appended
                                  they receive acknowledgements; may be given several times
          --print WHAT            state: the final state as JSON (default)
                                  actions: each action as it is processed, one JSON object a line
                                  none: nothing
          --wrap TYPE             each line, any JSON, is the payload of an action of this type
          --wrap-at POINTER       the same, with the type read from the line at a JSON Pointer
          --strict                stop at the first bad line or payload with exit code 65, exit
                                  with it if an instance failed, and refuse group-writable plugins
          --max-rejected N        stop when more than N lines are rejected or refused; N% is
                                  checked at the end; both end with exit code 65
          --keep-going            leave out plugins that are refused or missing, run the rest, and
                                  end with exit code 69
          --accept-loss           start without actions that can no longer be read from the
                                  journal, instead of refusing to start
          --reduce-with-present   after a crash, let the current configuration reduce actions
                                  whose own generation can no longer run here
          --strict-start          exit if the configuration of a service is refused, instead of
                                  running the last good generation from its journal
          --watch                 reload when the configuration or a library has changed; SIGHUP
                                  and the action host/reload also trigger a reload
          --grace SECONDS         how long effects that finish may take at the end (default 10);
                                  if any are given up, the exit code is 75
          --supervise             watch the host from a separate process, report which plugin
                                  crashed it, and restart it
          --watchdog SECONDS      how long one call of a plugin may take before it is reported
                                  (default 10); 0 for no limit
          --debug-worker ID       let the worker of an instance wait for a debugger before it
                                  loads its library, and take as long as it likes; may be given
                                  several times
          --profile               time each action, and report at the end where the time went
          --name NAME             the host's name for gatehouse ctl (default: the name in the
                                  configuration, or that of its folder)
          --control               let gatehouse ctl reach the host, whatever the configuration
                                  says
          --no-control            let nobody reach it

        A bad line is reported on standard error as FILE:LINE:COLUMN: REASON, counted and skipped;
        when no line is good, the exit code is 65. Of similar reports, the first hundred are
        shown. Results go to standard output, messages to standard error.

        Exit codes:
          0    done
          64   the command line is invalid, or the input cannot be read
          65   bad data
          69   a plugin was refused
          70   results cannot be written, or a plugin ended the process
          74   the journal cannot be opened, read or written
          75   accepted work was left unfinished
          76   the cluster has lost confirmed data, or is halted
          77   another process has joined under the member's name
          78   the configuration is wrong

        """

    private let check = """
        usage: gatehouse check [--config FILE|--plugins DIR] [--rehearse] [--strict] [--json]

        Checks the configuration and the libraries that it names, as run does before it starts.
        Loads nothing, so no plugin code runs, unless --rehearse is given.

          --config FILE   the configuration (default plugins.json)
          --plugins DIR   the plugins in a folder, without a configuration
          --rehearse      also try the plugins in a child process, up to where they would start
          --strict        refuse group-writable plugins
          --json          print the findings as one JSON object instead of text

        Exit codes:
          0    the host can start
          69   a plugin would be refused
          78   the configuration is wrong

        """

    private let list = """
        usage: gatehouse list [--config FILE|--plugins DIR] [--json]

        Shows the instances in chain order: plugin, library, gate, what each hears and emits, and
        where its slice is; then the libraries in the folder that take no part. Loads nothing.
        Refused plugins are shown with the reasons.

          --config FILE   the configuration (default plugins.json)
          --plugins DIR   the plugins in a folder, without a configuration
          --json          print one JSON object

        Exit codes:
          0    the host can start
          69   a plugin would be refused
          78   the configuration is wrong

        """

    private let plan = """
        usage: gatehouse plan [--config FILE|--plugins DIR] [--json|--graph] [TYPE]

        Shows what would run, in which order, and for each action type who emits it and who hears
        it, behind which gate, as manifests and configuration declare it. Loads nothing.

          TYPE            only the route of this type, or of types matching a pattern such as
                          orders/*
          --config FILE   the configuration (default plugins.json)
          --plugins DIR   the plugins in a folder, without a configuration
          --json          print one JSON object
          --graph         print a graph in the DOT language

        Exit codes:
          0    the host can start
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
        usage: gatehouse test [--config FILE] [--limit SECONDS] [--placement host|worker] [--json] [FILE...]

        Runs the cases of each file, one after the other, each on a fresh host: actions in,
        actions and state expected. Time stands still unless a case moves it, data of instances
        goes to a temporary folder, and neither state file nor sockets are touched. Effects are
        real unless a case stubs them.

        Prints each case in one line, and for a failed one where and what differs: - what was
        expected, + what was found.

          FILE                the cases (default: those beside the configuration,
                              plugins.test.json beside plugins.json)
          --config FILE       the configuration, instead of the one that a file of cases names
          --limit SECONDS     how long the effects of one step may take (default 10)
          --placement WHERE   host: all instances run in the host, whatever the configuration says
                              (default)
                              worker: each runs in a worker that can, unless the case stubs its
                              effects or sets the clock
          --json              print the results as one JSON object instead of text

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

    private let pin = """
        usage: gatehouse pin [--config FILE|--plugins DIR] [--json] [ID...]

        Prints, for each library that would run and that neither a key of "trust" nor an entry
        vouches for, what to write in the configuration: "sha256" with the digests of the library
        and of all that it brings along. Where the configuration has no "trust", for each library
        that no entry pins. Changes nothing, and loads nothing.

          ID              only the library of this instance
          --config FILE   the configuration (default plugins.json)
          --plugins DIR   the plugins in a folder, without a configuration
          --json          print an array of objects instead of text

        Exit codes:
          0    done
          64   an id waits for nobody
          78   the configuration cannot be read

        """

    private let sign = """
        usage: gatehouse sign FILE [--key FILE] [--serial N] [--comment]

        Signs a file by the program minisign, which asks for the password of the secret key, and
        writes the signature beside it: FILE.minisig. With the bytes it signs the id and the
        version of the plugin, the serial, and the digest of the library with all that it brings
        from its folder. minisign -G makes a pair of keys; operators list the public one in
        "trust".

        A list of what is withdrawn is a JSON object with "revoked", an array of objects, each
        with "reason" and either "sha256", the digest of a library, or "key", the number of a key.
        It counts where it lies in a plugin folder.

          FILE         the library, or a list whose name ends with .revoked
          --key FILE   the secret key (default: the one that minisign uses)
          --serial N   the order among what this key signs for the plugin (default: the time in
                       seconds)
          --comment    print what is signed with the bytes, and sign nothing

        Exit codes:
          0    it is signed
          64   no host would take a signature of it
          69   minisign is missing, or has refused

        """

    @Test func `pin and sign are explained with their options and exit codes`() throws {
        #expect(try ChildProcess.run(arguments: ["help", "pin"]).output == pin)
        #expect(try ChildProcess.run(arguments: ["sign", "--help"]).output == sign)
    }

    private let inspect = """
        usage: gatehouse inspect FILE [--json]

        Describes a library without running any of its code: its kind, its manifest, the libraries
        it needs, how it differs from this host, and whether it would be loaded. Takes any file,
        including those built for other machines or another SDK.

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

        Runs many checks on one library and prints the outcome of each: pass, warn, fail, crash or
        skip. Static checks only read its bytes. Each other check runs the plugin's code in a
        process of its own, which is ended, with everything the plugin started there, when its
        time or memory is used up.

        Payloads are generated by probing what the plugin accepts. The plugin handles them like
        real actions, so any network calls it makes are real.

          FILE              the plugin
          --only NAMES      only these checks or groups, such as actions,state/round-trip
          --input FILE      more actions to send to the plugin, one JSON object a line
          --seed N          the seed of the random payloads (default 1)
          --settings FILE   the settings of instances, one JSON object (default {})
          --states FILE     states of earlier versions for the plugin to migrate, one object a
                            line such as {"version":1,"state":{}}
          --list            list the checks without running them
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
        {"gate":"active"} move the gate. An extra first line says what the plugin did when it
        started, and a last one, at the end of the input, what it did when it was stopped.

        An answer comes when all effects of its line have ended, or sleep until the clock is
        moved. The host's clock stands still otherwise; the plugin's own threads and the services
        it calls run in real time. Data of the instance goes to a temporary folder. The plugin's
        own output goes to standard error.

          FILE              the plugin
          --settings FILE   the settings of the instance, one JSON object (default {})
          --state FILE      a state written by an earlier version, such as
                            {"version":1,"state":{}}
          --clock TIME      the time when the plugin starts (default 2001-09-09T01:46:40Z)
          --limit SECONDS   how long the effects of one line may take (default 10)

        An answer has did (start, action, advance, gate, stop or nothing) and, where they apply:
        passed, what an interceptor let through; emitted, the actions of the plugin; state, if it
        has changed; log and reports, lines from the plugin and about it; running, how many
        effects are asleep or still running; error, why the line was not processed.

        Exit codes:
          0    every line was processed, and no problem was reported
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

        Creates a folder NAME with a plugin, its tests, a configuration that gates it by an
        action, cases for gatehouse test, sample input, a Makefile and a script for CI. It builds,
        passes its tests and loads as it is, wherever it is copied: its Makefile asks the host
        where the SDK is. The SDK is built once for all plugins, in the user's cache.

          NAME              a Swift type such as RateLimiter; the plugin's id is then rate-limiter
          --template WHAT   effect: it answers actions (default)
                            reducer: it keeps a state
                            interceptor: it stops, changes or delays actions
                            observer: it hears everything and emits nothing
                            c: it answers actions, in C
                            rust: it answers actions, in Rust
          --sdk DIR         the folder of the SDK (default: what gatehouse sdk prints)

        Exit codes:
          0    the package was created
          64   the name cannot be used, or something is there already
          69   there is no SDK, or it does not match this host
          70   the package cannot be written

        """

    private let sdk = """
        usage: gatehouse sdk [--json|--environment]

        Prints the folder of the SDK sources that were installed with this host or that it was
        built from, if their fingerprint still matches the host's. GATEHOUSE_SDK in the
        environment names another folder. --json adds version, fingerprint, digest of the sources
        and build configuration.

        --environment prints variables to eval before building for this host: GATEHOUSE_SDK, the
        folder; GATEHOUSE_MANIFEST_TOOL, the tool that embeds manifests, so that builds need not
        make it; GATEHOUSE_CONFIGURATION, debug or release, as this host was built;
        GATEHOUSE_SCRATCH, where SwiftPM builds the SDK once for all plugins.

          --json          print one JSON object
          --environment   print the variables for building plugins, as shell commands

        Exit codes:
          0    done
          69   there is no SDK, or it does not match this host

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
        number, SDK fingerprint, compiler, target and build configuration. The digest of all
        sources of the SDK decides for plugins that may contain more than the fingerprint covers.

          --json   print one JSON object

        """

    private let control = """
        usage: gatehouse ctl [--name NAME|--socket PATH] [--json] [--instance ID] [--state POINTER]
                             [--turned-away] [--expect N] [--rehearse-with-history N] [--strict]
                             [--last N|--since TIME] [--catch-up] [--once] [--limit N|--show ID|--all]
                             [--action ACTION|--kind KIND] REQUEST [WORD...]

        Queries or controls a running host of this user. Root may address any host.

        status: an overview of the host. top: the same, refreshed every second until q is pressed.
        state [POINTER]: the state, or its value at a JSON Pointer. watch [TYPE...]: each action
        as it is processed, or only types such as orders/*. hour [ID...]: the numbers of the last
        hour, sampled every ten seconds, of the host and its instances, with reloads, moves of
        gates, deaths of workers and quarantines. costs [MINUTES]: the time of the newest minutes,
        60 if not given, by instance and stage. effects [ID...]: the effects of actions that are
        under way, with their attempts. now ID: end the pauses of an instance, such as those
        before another attempt. entry ID: the entry of an instance as it runs, with its settings.
        generations ID [COUNT]: the newest generations in which an instance changed, 20 if not
        given, from the journal. graph: which instances emit what others hear, by type. metrics:
        metrics for Prometheus. hosts: the running hosts.

        dispatch TYPE [JSON]: process an action with this payload, and everything it leads to;
        dispatch ACTION takes an action written as a JSON object, dispatch - reads actions from
        standard input, one JSON object a line. open ID, close ID: move the gate of an instance;
        also gate ID open|close. release NAME: release an instance, a plugin or a digest from
        quarantine; the actions that its instances missed are skipped, unless --catch-up is given.
        plan: what a reload would change. reload: read the configuration again. upgrade [PROGRAM]:
        let the installed program, or another one, go on for the host, without a gap. stop: end
        the run in good order, and wait until it has ended.

        try FILE: try a library or a configuration on recorded actions beside what runs, in a
        confined child process without effects and network, and show what differs. swap DIGEST:
        put the candidate with this digest in the place of what runs, by a reload; only the bytes
        that were tried, and only while nothing else has changed. shadow [ID]: how shadows agree
        with the instances whose actions they hear, and what differs.

        cluster: the members and partitions of the host's cluster. cluster drain HOST: make a
        member hand over its partitions and take no more; cluster undrain HOST: let it take
        partitions again. cluster reload: make all members read their configurations again, one
        after the other.

        dead-letters: actions that were not carried out, oldest first: those that an instance
        could not read, was not allowed to emit, emitted too late or did not do, and those that
        only instances in quarantine would have heard. redispatch ID...: process these actions
        again, as if they were dispatched now, for every instance that hears them; a processed
        letter is removed. With --action, another action is processed instead. discard ID...:
        delete letters.

          REQUEST                     the request
          WORD                        an argument of the request
          --name NAME                 the host with this name (default: the only one running)
          --socket PATH               the host with this control socket
          --json                      print JSON
          --instance ID               watch: only what this instance emits
          --state POINTER             watch: state changes at POINTER, alone or together with
                                      actions
          --turned-away               watch: also what was stopped, refused, rejected or kept from
                                      an instance by its gate, with the reason
          --expect N                  reload: only if the generation is still N
          --rehearse-with-history N   reload: first try the new generation on the newest N actions
                                      of the journal, in a child process; a crash or hang refuses
                                      the reload, differences are reported
          --strict                    reload: differences in that rehearsal refuse it too
          --last N                    try: on the newest N actions of the journal (default: all
                                      that it keeps)
          --since TIME                try: on the actions recorded since TIME, a moment or a time
                                      such as 24h
          --catch-up                  release: first run the reducers over the actions that the
                                      instances missed, in a child process; a crash or hang
                                      refuses the release
          --once                      top: print one page, without a terminal
          --limit N                   dead-letters: only the newest N
          --show ID                   dead-letters: only this one, with its action
          --all                       redispatch, discard: every dead letter, or those of a
                                      --kind; cluster: every partition
          --action ACTION             redispatch: dispatch this action instead of the stored one
          --kind KIND                 dead-letters, redispatch --all, discard --all: only those of
                                      a kind: misfit, refused-output, late, set-aside, failed,
                                      quarantined, unfinished, stopped, gated, refused-input

        Exit codes:
          0    done
          64   the host refused the request
          65   it reported bad data, has nothing at POINTER, or a tried candidate or a shadow
               differs
          69   no host answers
          75   it is busy, disconnected a watcher that did not read, or goes on because the new
               program failed
          78   a reload or a candidate was refused

        """

    @Test(arguments: [["help", "ctl"], ["ctl", "--help"], ["ctl", "status", "-h"]])
    func `ctl is explained with its requests and exit codes`(arguments: [String]) throws {
        let outcome = try ChildProcess.run(arguments: arguments)
        #expect(outcome.output == control)
        #expect(outcome.exitCode == 0)
    }

    private let cluster = """
        usage: gatehouse cluster [--config FILE] [--json] [--limit N|--show LETTER] [--key KEY]
                                 [--at OFFSET] [--with LIB] [--against FILE] [--discard ID]... [--dry-run]
                                 REQUEST [WORD...]

        Talks to the engine of the cluster that the configuration names, not to a host, so it also
        works when no member is running. For a member's own view, see gatehouse ctl cluster.

        status: members, and partitions that lag or have no live owner. where KEY...: the
        partitions of keys, their owners, and how many actions wait there, in all and of the key.
        state PARTITION [POINTER]: the state of a partition as its last checkpoint has it, or with
        --at as it was after an action of the history. replay PARTITION: let a library, or this
        configuration, and what it is compared with process the past of a partition as far as the
        engine has it, and print where they differ. history [PARTITION]: the newest actions of a
        partition, or with --key of a key, that the engine has, oldest first; it keeps them for as
        many seconds as "history" in "cluster" says, and those that wait in any case.
        dead-letters: actions set aside because they repeatedly brought down their hosts, oldest
        first; a letter is named by its partition and its offset there, such as 7:1795318121367-0.
        redispatch LETTER...: append these actions again, after all others with their keys; remove
        LETTER...: delete them.

        resize PARTITIONS: change the number of partitions while no member is running. Waiting
        actions move to the partitions of their keys. For the state of an instance, "split" in the
        configuration names the objects whose members are keys; each member moves to the partition
        of its key, and everything else must be the same in all partitions. The result is written
        beside the old data and replaces it in one step at the end; an interrupted resize does no
        harm.

        import CONFIG: take everything along from the cluster, or else the journal, that another
        configuration names, such as a copy of this one from before its "engine" was changed,
        while no member or host is running. The new cluster must be new or empty; the old one is
        left as it was.

        resume: a member that finds that the engine has lost what it had confirmed halts the
        cluster: all members end with 76, and none joins. Restore the engine's newest copy and
        start them again. Where there is none, resume lists what the members miss, and lets them
        continue without it.

          REQUEST          the request
          WORD             an argument of the request
          --config FILE    the configuration that names the cluster (default plugins.json)
          --json           print one JSON object
          --limit N        dead-letters, history: only the newest N (default 100)
          --show LETTER    dead-letters: only this one, with its action
          --key KEY        history: only actions with this key
          --at OFFSET      state: after the action at this offset, as history shows it
          --with LIB       replay: try this library instead of those with the same plugin id
          --against FILE   replay: compare with what this configuration makes of the actions
          --discard ID     resize, import: start this instance from scratch in all partitions
          --dry-run        resize, import, resume: only print what would be done

        Exit codes:
          0    done
          64   there is no such dead letter
          65   the cluster cannot be resized as it is, the engine has no such past, or something
               differs in it
          69   the engine does not answer, or has no such cluster
          69   state --at, replay: a plugin was refused
          70   state --at, replay: a plugin ended the process, or the result cannot be written
          75   members are running
          76   the cluster is halted
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
        usage: gatehouse history [--config FILE] [--journal DIR] [--type TYPE] [--instance ID] [--text TEXT]
                                 [--from WHERE] [--to WHERE|--follow] [--last N|--causes N] [--payload]
                                 [--tree|--json]

        Shows the actions that reached the reducers, in that order: number, time, type, and the
        cause of each: a line of an input, or an output, effect or own change of an instance
        during the action with the given number. Read-only; works while a host is writing the
        journal.

          --config FILE   the configuration that names the journal (default plugins.json)
          --journal DIR   the journal in a folder (default: the one that the configuration names)
          --type TYPE     only actions of this type, or of types matching a pattern such as
                          orders/*
          --instance ID   only what this instance emitted
          --text TEXT     only actions whose JSON contains TEXT, in upper or lower case
          --from WHERE    from this action on: its number, or the time it was recorded, such as
                          2026-01-31T12:00:00Z
          --to WHERE      up to this action
          --follow        keep printing what a running host writes, until interrupted
          --last N        only the newest N of them (default on a terminal: 20, unless --from or
                          --to is given)
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

        Takes the newest snapshot before that action, runs the configuration's reducers over the
        actions since then, and prints the state as JSON. No middleware runs, and nothing is
        written; works beside a running host.

          POINTER         only what is at this JSON Pointer
          --config FILE   the configuration whose plugins read the state (default plugins.json)
          --journal DIR   the journal in a folder (default: the one that the configuration names)
          --at N          after the action N; 0 for the beginning (default: after the last one)

        Exit codes:
          0    done
          65   the journal cannot be read or has no such action, or the state has nothing at
               POINTER
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

        Copies the journal as of one moment, reads the copy from beginning to end, and only then
        gives it its name. gatehouse restore replaces the journal with it.

          TARGET          the file to create; it must not exist yet
          --config FILE   the configuration that names the journal (default plugins.json)
          --journal DIR   the journal in a folder (default: the one that the configuration names)

        Exit codes:
          0    the copy is complete and undamaged
          64   the file exists already, or cannot be written
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
        host uses the journal. The old journal stays in the folder, as
        journal.sqlite.before-restore- and the time. No host starts on the journal until the
        restore is complete; after an interruption, run the command again.

          FILE            the backup; it is left unchanged
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
        usage: gatehouse replay [FILE] [--config FILE] [--journal DIR] [--with LIB] [--against FILE]
                                [--from N] [--to N] [--last N] [--json]

        Dispatches each input, and each action that an effect emitted later, to the middlewares of
        a configuration again; compares its immediate outputs with the recorded ones, and the
        final state with the one that the recorded actions lead to. Where something differs, does
        all of it once more, and names what is not deterministic. Effects are not run, and clocks
        show the recorded time. Nothing is written, and data of instances goes to a temporary
        folder; works beside a running host.

        Lines of a FILE are the whole past: they begin with the initial state, their actions are
        numbered from 1 on, and nothing is replayed if one is wrong. Where one is an action alone,
        what followed is not known: --against then names a configuration to compare with, or
        --with a library to compare with the one in use.

        Differing actions are shown in recorded order, at most 20 of each kind; --json prints up
        to 1,000.

          FILE             replay these lines instead of a journal: as gatehouse history --json
                           prints them, as the console exports them, or actions; - is standard
                           input
          --config FILE    the configuration to try (default plugins.json)
          --journal DIR    the journal in a folder (default: the one that the configuration names)
          --with LIB       use this library instead of those with the same plugin id
          --against FILE   compare with what this configuration makes of the actions, and not with
                           the record
          --from N         start with the action N (default: the oldest one kept)
          --to N           end with the action N (default: the last one)
          --last N         only the newest N actions
          --json           print one JSON object

        Exit codes:
          0    nothing differs
          64   FILE cannot be read, or there is nothing to compare it with
          65   something differs, or the journal cannot be read, or lines of FILE are wrong
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
            + version + pin + sign
        #expect(all.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test(arguments: ["version", "--version"])
    func `version tells what a plugin must have in common with the host`(command: String) throws {
        let outcome = try ChildProcess.run(arguments: [command])
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(
            lines.map { $0.prefix { $0 != " " } } == [
                "gatehouse", "abi", "sdk", "sources", "protocol", "compiler", "target", "configuration",
            ])
        #expect(lines[2].count == "sdk ".count + 64)
        #expect(lines[3].count == "sources ".count + 64)
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["version", "--version"])
    func `version for programs is one object with the same facts`(command: String) throws {
        let words = try ChildProcess.run(arguments: [command]).output
        let outcome = try ChildProcess.run(arguments: [command, "--json"])
        let facts = try JSONText.parse(outcome.output)
        #expect(
            facts.objectValue?.keys == [
                "gatehouse", "abi", "sdk", "sources", "protocol", "compiler", "target", "configuration",
                "files",
            ])
        // What describes an installed version alone.
        #expect(facts["files"]?.objectValue?.keys == ["gatehouse", "libGatehouseSDK.so"])
        #expect(facts["files"]?.objectValue?.allSatisfy { $0.value.stringValue?.count == 64 } == true)
        #expect(facts["abi"]?.intValue != nil)
        let lines = facts.objectValue?.filter { $0.key != "files" }.map {
            "\($0.key) \($0.value.stringValue ?? $0.value.json())\n"
        }
        #expect(lines?.joined() == words)
        #expect(outcome.exitCode == 0)
    }
}
