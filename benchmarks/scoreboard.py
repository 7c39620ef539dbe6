"""The scoreboard of a store with hundreds of runs: seconds for each form, and bytes of the page.

The store is a kept one, unpacked; every form is a command of its own, so that starting Python and
loading JAX are counted. Each is run once to read the files into memory, then timed.

    python benchmarks/scoreboard.py [--runs FILE.tgz] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from foretell.plain.files import write_atomically
from foretell.training.provenance import describe_machine

RUNS = Path(__file__).parent.parent / "results" / "language-suite" / "runs.tgz"
TIMES = 3  # the best is kept: others may use the machine


def seconds(command: list[str]) -> float:
    found = []
    for _ in range(TIMES):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found.append(time.perf_counter() - start)
    return min(found)


def measure(runs: Path) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as folder, tarfile.open(runs) as packed:
        packed.extractall(folder, filter="data")
        (store,) = Path(folder).iterdir()
        page = Path(folder) / "page.html"
        board = [sys.executable, "-m", "foretell", "scoreboard", "--store", str(store)]
        said = subprocess.run([*board, "--json"], check=True, capture_output=True).stdout
        rows = len(json.loads(said)["rows"])
        spent = {
            "terminal": seconds(board),
            "json": seconds([*board, "--json"]),
            "html": seconds([*board, "--html", str(page)]),
        }
        size = page.stat().st_size
    return {"rows": rows, "seconds": spent, "page_bytes": size, "bytes_a_row": size // rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = {**measure(given.runs), "runs": given.runs.name, "provenance": describe_machine()}
    text = json.dumps(found, indent=1)
    print(text)
    if given.out:
        write_atomically(given.out, text + "\n")


if __name__ == "__main__":
    main()
