"""The words of foretell. Read this room first: frozen values, no input or output, no mathematics.

Task → Question → Prediction and Measurement → Scoreboard. Data goes one way.
"""

from foretell.core.alphabet import Alphabet as Alphabet
from foretell.core.architecture import Architecture as Architecture
from foretell.core.language import Language as Language
from foretell.core.measurement import Measurement as Measurement
from foretell.core.prediction import Certificate as Certificate
from foretell.core.prediction import Prediction as Prediction
from foretell.core.prediction import Predictor as Predictor
from foretell.core.protocol import Protocol as Protocol
from foretell.core.question import Outcome as Outcome
from foretell.core.question import Question as Question
from foretell.core.question import SizeRange as SizeRange
from foretell.core.question import Verdict as Verdict
from foretell.core.scoreboard import Scoreboard as Scoreboard
from foretell.core.task import Fact as Fact
from foretell.core.task import Task as Task
