"""Rigid-body contact: run, judge and compare methods on identical scenes.

>>> import rigor
>>> scene = rigor.Scene.case("bouncing/ball")
>>> run = rigor.run(scene, method="xpbd", duration=0.1)
>>> run.x.shape == (len(run.t), len(scene.bodies), 3)
True
>>> run.outcome
'completed'

Lengths are in metres, masses in kilograms, times in seconds; y points up in the scenes of the library. Arrays of poses hold the
centre of mass ``x`` and the quaternion ``q`` = (w, x, y, z) of each body's principal frame; velocities are in world axes.
"""

from . import ccd, geometry
from ._rigor import (
    Body,
    MethodError,
    RigorError,
    RunError,
    SceneError,
    State,
    StepError,
    StudyError,
    UnsupportedError,
    __version__,
)
from .compare import Comparison, View, compare, view
from .judge import Finding, Frame, Judge, figures
from .judgement import Expectation, Judgement
from .method import Contact, Flaw, Method, Report, methods
from .paper import Attempt, Figure, Reproduction, papers, reproduce
from .run import Run, run
from .scene import Builder, Scene
from .simulation import Simulation
from .study import Study, study
from .trajectory import Trajectory

__all__ = [
    "Attempt",
    "Body",
    "Builder",
    "Comparison",
    "Contact",
    "Expectation",
    "Figure",
    "Finding",
    "Flaw",
    "Frame",
    "Judge",
    "Judgement",
    "Method",
    "MethodError",
    "Report",
    "Reproduction",
    "RigorError",
    "Run",
    "RunError",
    "Scene",
    "SceneError",
    "Simulation",
    "State",
    "StepError",
    "Study",
    "StudyError",
    "Trajectory",
    "UnsupportedError",
    "View",
    "__version__",
    "ccd",
    "compare",
    "figures",
    "geometry",
    "methods",
    "papers",
    "reproduce",
    "run",
    "study",
    "view",
]
