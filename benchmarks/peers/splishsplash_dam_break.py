"""The collapse of a column of water in pySPlisHSPlasH (WCSPH), with the column, spacing and support of
`cargo bench -p rigor-benchmarks --bench fluid -- --across N --smoothing 1`.

    OMP_NUM_THREADS=1 python splishsplash_dam_break.py [particles across] [time step in s] [speed of sound in m/s]

Prints particle updates per second of CPU time, the largest compression, and the front of the water in widths of the column. Time
spent in this script's callback does not count.
"""

import json
import os
import pathlib
import sys
import tempfile
import time

import pysplishsplash as sph

ACROSS, STEP, SOUND = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
WIDTH, GRAVITY, DENSITY, EXPONENT = 0.1, 9.81, 1000.0, 7.0
UNIT = (WIDTH / (2.0 * GRAVITY)) ** 0.5
TIMES = [0.41, 0.84, 1.19, 1.43, 1.63, 1.98]
SPACING = WIDTH / ACROSS


def scene():
    """Returns a column twice as high as wide and six spacings deep, in a tank five widths long."""
    half = 0.5 * SPACING
    deep = 6 * SPACING
    low, high = (-half,) * 3, (5 * WIDTH + half, 2.5 * WIDTH + half, deep + half)
    cube = pathlib.Path(sys.executable).parent / "data/models/UnitBox.obj"
    return {
        "Configuration": {
            "particleRadius": half,
            "simulationMethod": 0,
            "gravitation": [0, -GRAVITY, 0],
            "timeStepSize": STEP,
            "cflMethod": 0,
            "boundaryHandlingMethod": 0,
            "stopAt": 1e9,
            "enableZSort": True,
            "WCSPH": {"stiffness": DENSITY * SOUND**2 / EXPONENT, "exponent": EXPONENT},
        },
        "Materials": [
            {
                "id": "Fluid",
                "density0": DENSITY,
                "viscosityMethod": 1,
                "Standard viscosity": {"viscosity": 0.01, "viscosityBoundary": 0.0},
            }
        ],
        "RigidBodies": [
            {
                "geometryFile": str(cube),
                "translation": [(a + b) / 2 for a, b in zip(low, high)],
                "rotationAxis": [1, 0, 0],
                "rotationAngle": 0,
                "scale": [b - a for a, b in zip(low, high)],
                "isDynamic": False,
                "isWall": True,
                "samplingMode": 0,
            }
        ],
        "FluidBlocks": [
            {
                "denseMode": 0,
                "start": [-half] * 3,
                # A tenth of a spacing beyond the last particle.
                "end": [x + 0.6 * SPACING for x in (WIDTH, 2 * WIDTH, deep)],
            }
        ],
    }


class Watch:
    """Counts steps and their CPU time, and measures the front."""

    def __init__(self):
        self.steps, self.cpu, self.began = 0, 0.0, None
        self.compression, self.fronts = 0.0, []

    def __call__(self):
        if self.began is not None:
            self.steps += 1
            self.cpu += time.process_time() - self.began
        fluid = sph.Simulation.getCurrent().getFluidModel(0)
        n = fluid.numActiveParticles()
        if self.steps % 100 == 0:
            self.compression = max(self.compression, max(fluid.getDensity(i) for i in range(n)) / DENSITY - 1)
        if sph.TimeManager.getCurrent().getTime() >= TIMES[len(self.fronts)] * UNIT:
            front = max(fluid.getPosition(i)[0] for i in range(n))
            self.fronts.append(float(front + 0.5 * SPACING) / WIDTH)
        if len(self.fronts) == len(TIMES):
            print(f"{n} particles, {self.steps} steps of {STEP} s, largest compression {self.compression:.3g}")
            print(f"{self.steps * n / self.cpu / 1e6:.3g}e6 updates per second of CPU time")
            for at, front in zip(TIMES, self.fronts):
                print(f"front/a {front:.3g} at t sqrt(2 g/a) = {at}")
            sys.stdout.flush()
            # The library has no call that ends a run.
            os._exit(0)
        self.began = time.process_time()


with tempfile.TemporaryDirectory() as folder:
    file = pathlib.Path(folder) / "dam.json"
    file.write_text(json.dumps(scene()))
    base = sph.Exec.SimulatorBase()
    base.init(sceneFile=str(file), useGui=False, initialPause=False, outputDir=folder, useCache=False)
    base.initSimulation()
    base.setTimeStepCB(Watch())
    base.runSimulation()
