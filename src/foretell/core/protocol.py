"""How an outcome is measured: a pure plan before, a pure reading after, no training between."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

from foretell.core.architecture import Architecture
from foretell.core.measurement import Measurement
from foretell.core.question import Outcome, Question
from foretell.core.task import Task

PlanType = TypeVar("PlanType")
RecordType = TypeVar("RecordType")


class Protocol(abc.ABC, Generic[PlanType, RecordType]):
    """A named way to turn a question into work, and the work's record into a verdict."""

    @property
    @abc.abstractmethod
    def name(self) -> str:
        """Catalogue name."""

    @property
    def way(self) -> str:
        """Which of several ways to answer, where a yes in one is a yes; most have one."""
        return ""

    @property
    @abc.abstractmethod
    def rule(self) -> str:
        """The decision rule in words, fixed before the run and printed with every verdict."""

    @classmethod
    @abc.abstractmethod
    def outcome(cls, request: Any, task: Task) -> Outcome:
        """What a request asks, in the terms of this protocol."""

    @classmethod
    @abc.abstractmethod
    def architecture(cls, request: Any, task: Task) -> Architecture:
        """The model a request is about."""

    @classmethod
    @abc.abstractmethod
    def from_request(cls, request: Any) -> Self:
        """The protocol with the settings that a request and its budget call for."""

    @classmethod
    @abc.abstractmethod
    def seeds(cls, request: Any) -> int:
        """How many seeds to use where nobody says."""

    @abc.abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Its settings, with its name: enough to build it again."""

    @abc.abstractmethod
    def plan(self, question: Question, seeds: tuple[int, ...]) -> PlanType:
        """What has to be run. Pure: the same question and seeds give the same plan."""

    @abc.abstractmethod
    def read(
        self, question: Question, plan: PlanType, record: RecordType, provenance: Mapping[str, Any]
    ) -> Measurement:
        """What the run says. Pure: the same record gives the same measurement."""
