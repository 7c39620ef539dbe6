"""Questions that train together: answered as they are done, continued where they were."""

import os
import signal

import pytest

from foretell.protocols._asking import Request
from foretell.protocols._running import Asked, train
from foretell.training import sequence_run
from foretell.training.stopping import Interrupted
from foretell.training.store import Store


def two_asked():
    request = Request(what="binary-majority", budget="smoke", steps=60, check_every=20)
    question, protocol = request.question(), request.build_protocol()
    return [Asked(question, protocol, seeds) for seeds in ((0, 1), (7, 8))]


@pytest.fixture
def nothing_waits(monkeypatch):
    monkeypatch.setattr(sequence_run, "WAIT_SECONDS", 0.0)


def folder(store, asked):
    return store.folder(asked.question.hash, asked.plan.hash)


def test_a_fleet_left_in_the_middle_goes_on_whole(
    tmp_path, only_seeds_below_seven_fit, nothing_waits
):
    store, asked, steps = Store(tmp_path), two_asked(), []

    def stop_later(progress):
        if progress.step >= 40:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted):
        train(asked, store, stop_later)
    assert [store.is_finished(folder(store, each)) for each in asked] == [True, False]
    first = (folder(store, asked[0]) / "run.json").read_bytes()
    train(asked[1:], store, lambda now: steps.append(now.step), among=asked[::-1])
    assert steps[0] > 40  # it went on, in whatever order it is asked for
    assert not list((tmp_path / "fleets").iterdir())
    assert (folder(store, asked[0]) / "run.json").read_bytes() == first  # and was not made again
    run = store.load_run(folder(store, asked[1]))
    assert run is not None and len(run.provenance["sessions"]) == 2
    assert [check["step"] for check in run.record.history] == [20, 40, 60]


def test_without_a_checkpoint_only_the_rest_is_trained(tmp_path):
    store, asked = Store(tmp_path), two_asked()
    train(asked[:1], store)
    train(asked, store)
    run = store.load_run(folder(store, asked[1]))
    assert run is not None and run.provenance["fleet"] == 2
    train(asked, store, lambda now: pytest.fail("everything is there"))


def test_a_fleet_is_known_by_its_runs(tmp_path):
    store = Store(tmp_path)
    one, two, three = (("q", "1"), ("q", "2"), ("q", "3"))
    place = store.open_fleet("both", [one, two])
    assert store.fleet_of([two], [one, two]) == [two]  # nothing was saved there
    (place / "checkpoint.json").write_text("{}")
    assert store.fleet_of([two], [three, two, one]) == [one, two]  # in its own order
    assert store.fleet_of([two], [two, three]) == [two]  # the other was not asked for
    assert store.fleet_of([two, three], [one, two, three]) == [two, three]
    (place / "fleet.json").write_text("not a list")
    assert store.fleet_of([two], [one, two]) == [two]


def test_fleets_whose_runs_are_all_there_are_swept(tmp_path):
    store = Store(tmp_path)
    runs = [("q", "1"), ("q", "2")]
    place = store.open_fleet("both", runs)
    for done, run in enumerate(runs):
        store.sweep_fleets()
        assert place.exists(), done
        store.folder(*run).mkdir(parents=True)
        (store.folder(*run) / "run.json").write_text("{}")
    store.sweep_fleets()
    assert not place.exists()
