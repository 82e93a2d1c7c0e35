"""How to initialise your neural network, from your data, before you train.

    import priorfit
    answer = priorfit.recommend(X, y, widths=[256, 256], activation="relu", loss="cross-entropy")
    answer                                    # the words of the command; in a notebook the charts as well
    answer.verdict.action, answer.verdict.gain
    answer.initialisation.layers              # what to draw each layer from
    answer.init_(model)                       # draws the weights of a torch or Keras model in place

Faces: :mod:`priorfit.torch`, :mod:`priorfit.keras`, :mod:`priorfit.flax`, :mod:`priorfit.sklearn`, each imported when you
ask for it. Lower level: :func:`covariance`, :func:`tangent_kernel`, :class:`Evidence`, :func:`trained_risk`,
:func:`phase`, :func:`save_weights`, :func:`load_weights`, :func:`experiment`.
"""

import atexit as _atexit

from . import _loading  # before the first import of _core
from . import _core
from ._answer import Answer, Initialisation, LayerPrior, Record
from ._core import Network
from ._data import Data, as_data
from ._experiment import Experiment, experiment, read_experiment, run_experiment
from ._networks import load_weights, save_weights, train
from ._numerics import (Evidence, activations, covariance, critical_weight_variance, phase, signal, tangent_kernel,
                        trained_risk)
from ._recommend import recommend, recommend_options
from .errors import (DataError, InputOutputError, InternalError, Interrupted, NumericalError, PriorfitError,
                     ResourceError, UsageError)

__version__ = _core.version()
__all__ = ["Answer", "Data", "DataError", "Evidence", "Experiment", "Initialisation", "InputOutputError",
           "InternalError", "Interrupted", "LayerPrior", "Network", "NumericalError", "PriorfitError", "Record",
           "ResourceError", "UsageError", "activations", "as_data", "covariance", "critical_weight_variance",
           "experiment", "load_weights", "phase", "read_experiment", "recommend", "recommend_options", "run_experiment", "save_weights",
           "signal", "tangent_kernel", "train", "trained_risk"]

_atexit.register(_core._wait_for_abandoned)
