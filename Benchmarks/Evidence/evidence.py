# SPDX-License-Identifier: Apache-2.0

"""The command line of make evidence; Scripts/evidence says what it takes."""

import argparse
import os
import random
import shutil
import sys
import tempfile

import machine
import report
from checker import Record, judge
from gatehouse_product import Gatehouse, RelaxedGatehouse, StrictGatehouse
from nats_product import JetStream
from redis_product import AlwaysRedis, EverySecondRedis, NamelessRedis
from run import Plan, rate, run
from storage import ForgetfulStorage, Storage
from writers import NotReady, Refused

PRODUCTS = [StrictGatehouse, RelaxedGatehouse, AlwaysRedis, EverySecondRedis, NamelessRedis, JetStream]

#: How often each rate is measured.
ROUNDS = 5


def arguments(words):
    """The options, with their defaults."""
    parser = argparse.ArgumentParser(prog="Scripts/evidence", add_help=False)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--actions", type=int, default=100_000)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--depth", type=int, default=64)
    parser.add_argument("--pace", type=int, default=4_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--settled", action="store_true")
    parser.add_argument("--check")
    parser.add_argument("--program")
    parser.add_argument("--plugins")
    parser.add_argument("--forgetful")
    parser.add_argument("--folder")
    chosen = parser.parse_args(words)
    if chosen.kills < 1 or chosen.actions < 100 or chosen.depth < 1 or chosen.pace < 1:
        parser.error("it takes at least 1 kill, 100 actions, a depth of 1 and a pace of 1 action a second")
    return chosen


def check(path):
    """Judges a kept record; the exit code."""
    try:
        with open(path, encoding="utf-8") as file:
            findings = judge(Record.reading(file.read()))
    except (OSError, ValueError) as error:
        print(f"evidence: {path}: {error}", file=sys.stderr)
        return 66
    print(findings)
    return 1 if findings else 0


def compare(chosen):
    """Runs all products, and prints the tables; the exit code."""
    Gatehouse.program, Gatehouse.plugins = os.path.realpath(chosen.program), os.path.realpath(chosen.plugins)
    seed = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(1, 1 << 32)
    print(f"evidence: seed {seed}", file=sys.stderr)
    plan = Plan.drawing(seed, 4, chosen.actions, chosen.depth, chosen.pace, chosen.kills)
    products = [product for product in PRODUCTS if chosen.only.lower() in product.title.lower()]
    shutil.rmtree(chosen.folder, ignore_errors=True)
    os.makedirs(os.path.join(chosen.folder, "records"))

    command = f"make evidence KILLS={chosen.kills} ACTIONS={chosen.actions} SEED={seed}"
    versions = list(dict.fromkeys(f"{product.title.split(',')[0]} {product('', '').version().split()[-1]}" for product in products))
    if chosen.settled:
        print("evidence: everything is synced before the machine fails, so this is no comparison", file=sys.stderr)
    print(report.heading(command, plan, chosen.folder, versions, machine.seconds_of_sync(chosen.folder)), flush=True)

    # In turns and the best, because whatever else the machine does only makes them slower.
    rates = dict.fromkeys(products, 0.0)
    for _ in range(ROUNDS):
        for product in products:
            rates[product] = max(rates[product], here(product, "speed", plan, chosen))
    print("\n" + report.speeds(rates, plan, ROUNDS), flush=True)

    broken = False
    for failure in ("process", "power"):
        if failure == "power" and not chosen.forgetful:
            print("\nThe machine's failure was not tried: it takes /dev/fuse, and root or fusermount3.")
            continue
        outcomes = []
        for product in products:
            if failure == "power" and product is NamelessRedis:
                # Names make no difference to what a disk keeps.
                continue
            outcome = here(product, failure, plan, chosen)
            outcomes.append(outcome)
            findings = outcome.findings
            # What Gatehouse promises; of the others this only tells. Relaxed it may lose, and nothing else.
            if product is StrictGatehouse and findings.lost:
                broken = True
            if issubclass(product, Gatehouse) and (findings.doubled or findings.reordered or findings.unknown):
                broken = True
        print("\n" + report.table(failure, outcomes, chosen.settled), flush=True)
    if broken:
        print("evidence: Gatehouse has not kept its promise; the records say which actions are concerned", file=sys.stderr)
    return 1 if broken else 0


def here(product, what, plan, chosen):
    """The outcome of one row, in folders of its own; for "speed" its rate. Keeps the record of an outcome."""
    name = f"{what}-{product.__name__}"
    folder = tempfile.mkdtemp(prefix="evidence-")
    place = os.path.join(chosen.folder, name)
    storage = ForgetfulStorage(chosen.forgetful, place, chosen.settled) if what == "power" else Storage(place)
    server = product(folder, storage.files)

    def progress(kill):
        if kill % 10 == 0 or kill == len(plan.kills):
            print(f"evidence: {name}: {kill} of {len(plan.kills)} kills", file=sys.stderr)

    try:
        if what == "speed":
            return rate(server, plan)
        outcome = run(server, storage, plan, progress)
        print(f"evidence: {name}: {outcome.findings}", file=sys.stderr)
        with open(os.path.join(chosen.folder, "records", f"{name}.json"), "w", encoding="utf-8") as file:
            file.write(outcome.record.text())
        return outcome
    except (NotReady, Refused, OSError) as error:
        print(f"evidence: {name}: {error}\n{server.log_end()}", file=sys.stderr)
        raise SystemExit(70) from error
    finally:
        storage.remove()
        shutil.rmtree(place, ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    options = arguments(sys.argv[1:])
    sys.exit(check(options.check) if options.check else compare(options))
