"""The run store: an append-only folder, one directory a question, one below it a run.

    foretell-runs/
      <question hash>/
        question.json            what was asked
        predictions.jsonl        what theories said, one line each time somebody asked
        <plan hash>/
          settings.json          protocol and plan
          checkpoint.json, …     only while the run is unfinished
          values.jsonl           one line for each seed, probe and range, size by size
          weights.safetensors    the trained models
          run.json               provenance and how training ended; written last: its presence
                                 means the run is whole

      experiments/<name>/        cells of reproductions that compute instead of training
      fleets/<plan hash>/        checkpoints of several questions' members that train together;
                                 fleet.json names their runs

Different runs never share a file, and a run is held by a lock while it is worked on, so any
number of processes may use one store.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from foretell.plain.errors import StoreProblem
from foretell.plain.files import explain_disk_trouble, hold, write_atomically
from foretell.training.checkpoint import POINTER, remove_arrays
from foretell.training.record import KINDS, AnyRecord, Record

DEFAULT_FOLDER = "foretell-runs"
FLEET = "fleet.json"  # which runs a fleet's checkpoints are of
RunName = tuple[str, str]  # hash of a question, hash of a plan


@dataclass(frozen=True)
class StoredRun:
    """One finished run as it lies in the store."""

    question: Mapping[str, Any]
    settings: Mapping[str, Any]
    record: AnyRecord
    provenance: Mapping[str, Any]
    folder: Path


@dataclass(frozen=True)
class Store:
    """A folder of runs."""

    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(self.root))

    @classmethod
    def at(cls, folder: str | Path | None = None) -> Store:
        """The folder given, else `FORETELL_STORE`, else `./foretell-runs`."""
        return cls(Path(folder or os.environ.get("FORETELL_STORE") or DEFAULT_FOLDER))

    def open_run(self, question: Mapping[str, Any], question_hash: str, plan_hash: str) -> Path:
        """Folder of a run, with its question beside it. Fails early if nothing can be written."""
        folder = self.folder(question_hash, plan_hash)
        with explain_disk_trouble(folder):
            folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder.parent / "question.json", json.dumps(question, indent=1))
        return folder

    def folder(self, question_hash: str, plan_hash: str) -> Path:
        """Where a run lies, or will."""
        return self.root / question_hash / plan_hash

    def is_finished(self, folder: Path) -> bool:
        """Is the run whole?"""
        return (folder / "run.json").exists()

    def open_fleet(self, plan_hash: str, runs: Sequence[RunName]) -> Path:
        """Where a fleet that answers several questions at once keeps its checkpoints."""
        folder = self.root / "fleets" / plan_hash
        with explain_disk_trouble(folder):
            folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / FLEET, json.dumps(runs))
        return folder

    def fleet_of(self, unfinished: Sequence[RunName], among: Collection[RunName]) -> list[RunName]:
        """The runs of a fleet that was left in the middle and has all of these, none but those.

        In its own order. Some may be finished: they were done before the others. Without such a
        fleet: these themselves.
        """
        for folder, runs in self._fleets():
            if (folder / POINTER).exists() and {*unfinished} <= {*runs} <= {*among}:
                return runs
        return list(unfinished)

    def sweep_fleets(self) -> None:
        """Remove checkpoints of fleets whose runs are all finished: a kill may have left them."""
        for folder, runs in self._fleets():
            if all(self.is_finished(self.folder(*run)) for run in runs):
                shutil.rmtree(folder, ignore_errors=True)

    def _fleets(self) -> Iterator[tuple[Path, list[RunName]]]:
        for path in sorted((self.root / "fleets").glob(f"*/{FLEET}")):
            with contextlib.suppress(OSError, ValueError, TypeError):  # as if it were not there
                yield path.parent, [(str(a), str(b)) for a, b in json.loads(path.read_text())]

    @contextlib.contextmanager
    def working_on(self, folder: Path) -> Iterator[None]:
        """Hold a run while training it."""
        with hold(folder / "lock", what="this run"):
            yield

    def save_run(
        self,
        folder: Path,
        settings: Mapping[str, Any],
        record: AnyRecord,
        weights: Mapping[str, Any],
        provenance: Mapping[str, Any],
    ) -> None:
        """Write a finished run; `run.json` last, since its presence says that the rest is there."""
        write_atomically(folder / "settings.json", json.dumps(settings, indent=1))
        lines = [json.dumps(line) for line in record.lines()]
        write_atomically(folder / "values.jsonl", "".join(line + "\n" for line in lines))
        write_atomically(folder / "weights.safetensors", save(dict(weights)))
        run = {
            "kind": record.kind,
            **record.summary(),
            "lines": len(lines),
            "provenance": provenance,
        }
        write_atomically(folder / "run.json", json.dumps(run, indent=1))
        self.tidy(folder)

    def tidy(self, folder: Path) -> None:
        """Remove what only an unfinished run needs; a kill may have come between the two."""
        (folder / POINTER).unlink(missing_ok=True)
        remove_arrays(folder)

    def load_run(self, folder: Path) -> StoredRun | None:
        """A finished run, nothing if it is unfinished, a message naming it if it is damaged."""
        if not self.is_finished(folder):
            return None
        try:
            run = json.loads((folder / "run.json").read_text())
            values = (folder / "values.jsonl").read_text().splitlines()
            if len(values) != run["lines"]:
                raise ValueError(f"values.jsonl has {len(values)} lines, not {run['lines']}")
            kind = KINDS[run.get("kind", Record.kind)]  # runs from before there were kinds
            record = kind.read(run, [json.loads(line) for line in values])
            question = json.loads((folder.parent / "question.json").read_text())
            settings = json.loads((folder / "settings.json").read_text())
            return StoredRun(question, settings, record, run["provenance"], folder)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreProblem(
                "a run in the store cannot be read: it is damaged, or of another version",
                seen=folder,
                why=f"{type(error).__name__}: {error}".splitlines()[0],
                hint="move that folder away, or the question.json above it if that is damaged: "
                "asking again writes it anew; all other runs are intact",
            ) from None

    def runs(self) -> tuple[list[StoredRun], list[StoreProblem]]:
        """All finished runs that can be read, and a message for each that cannot."""
        found: list[StoredRun] = []
        problems: list[StoreProblem] = []
        for run in self.each_run():
            if isinstance(run, StoreProblem):
                problems.append(run)
            else:
                found.append(run)
        return found, problems

    def each_run(self) -> Iterator[StoredRun | StoreProblem]:
        """The same one by one, for those who need not hold all of a large store at once."""
        for path in sorted(self.root.glob("*/*/run.json")):
            try:
                run = self.load_run(path.parent)
            except StoreProblem as problem:
                yield problem
                continue
            if run is not None:
                yield run

    def first_predictions(self, question_hash: str, before: str = "") -> dict[str, str]:
        """The verdict of each predictor that was put on record first; `before` a time, if given."""
        path = self.root / question_hash / "predictions.jsonl"
        first: dict[str, str] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                # half a line is none
                with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
                    noted = json.loads(line)
                    if before and str(noted.get("time", "")) > before:
                        continue  # times are all UTC in one format and sort as text
                    for said in noted["predictions"]:
                        first.setdefault(said["predictor"], said["verdict"])
        return first

    def note_predictions(self, question_hash: str, line: Mapping[str, Any]) -> None:
        """Put on record what was predicted, before anything is measured."""
        path = self.root / question_hash / "predictions.jsonl"
        with explain_disk_trouble(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            try:  # one write of one line: lines of two processes cannot mix
                os.write(handle, (json.dumps(line) + "\n").encode())
            finally:
                os.close(handle)
