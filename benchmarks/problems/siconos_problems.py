"""Solves friction problems with the numerics of Siconos, and writes a table that `rigor problems profile --with` reads.

    python3 siconos_problems.py FOLDER OUT.csv SECONDS [TOLERANCE ...]

Needs Debian's packages `python3-siconos` (4.4) and `python3-scipy`. Its solvers end by an error of their own: each is asked for a tenth of the tolerance, the
answer is judged by the residual of `rigor problems`, and what misses it counts as not solved. W is made symmetric, as there. Times are CPU
times of the solver alone, on one thread, the least of five below 20 ms. Each runs in a process of its own, which ends after SECONDS.
"""

import csv
import multiprocessing
import os
import pathlib
import sys
import time

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
import scipy.sparse  # noqa: E402
import siconos.numerics as sn  # noqa: E402

SOLVERS = {
    "siconos-nsgs": sn.SICONOS_FRICTION_3D_NSGS,
    "siconos-nsn-ac": sn.SICONOS_FRICTION_3D_NSN_AC,
    "siconos-admm": sn.SICONOS_FRICTION_3D_ADMM,
    "siconos-prox": sn.SICONOS_FRICTION_3D_PROX,
    "siconos-tfp": sn.SICONOS_FRICTION_3D_TFP,
}
LIMIT = {"siconos-nsgs": 100_000, "siconos-nsn-ac": 1000, "siconos-admm": 20_000, "siconos-prox": 1000, "siconos-tfp": 1000}


def read(path):
    """W (symmetric), q, mu in three dimensions: planar problems get a third row that nothing couples."""
    data = np.load(path)
    n = len(data["q"])
    w = np.zeros((n, n))
    np.add.at(w, (data["row"], data["column"]), data["value"])
    w, q, mu = (w + w.T) / 2, data["q"], np.atleast_1d(data["mu"])
    if int(data["dimension"]) == 2:
        m = len(mu)
        place = [3 * (i // 2) + i % 2 for i in range(n)]
        wide = np.zeros((3 * m, 3 * m))
        wide[np.ix_(place, place)] = w
        for i in range(m):
            wide[3 * i + 2, 3 * i + 2] = np.trace(w) / n
        long = np.zeros(3 * m)
        long[place] = q
        w, q = wide, long
    return w, q, mu


def residual(w, q, mu, r):
    """‖r − P_K(r − û)‖/(1 + ‖q‖)."""
    u = (w @ r + q).reshape(-1, 3)
    r = r.reshape(-1, 3)
    y = r - u
    y[:, 0] -= mu * np.hypot(u[:, 1], u[:, 2])
    t = np.hypot(y[:, 1], y[:, 2])
    p = y.copy()
    away = mu * t <= -y[:, 0]
    edge = ~away & (t > mu * y[:, 0])
    p[away] = 0
    along = (y[edge, 0] + mu[edge] * t[edge]) / (1 + mu[edge] ** 2)
    p[edge, 0] = along
    p[edge, 1:] = (mu[edge] * along / t[edge])[:, None] * y[edge, 1:]
    return np.linalg.norm(r - p) / (1 + np.linalg.norm(q))


def solve(name, w, q, mu, tolerance):
    sparse = scipy.sparse.csc_matrix(w)
    sparse.indices, sparse.indptr = sparse.indices.astype(np.int64), sparse.indptr.astype(np.int64)
    # The storage that its solver is written for: blocks of 3 x 3 for sweeps, a sparse matrix for those that factorize.
    matrix = sn.SBM_from_csparse(3, sparse)[1] if name in ("siconos-nsgs", "siconos-tfp") else sparse
    problem = sn.FrictionContactProblem(3, matrix, q, mu)
    options = sn.SolverOptions(SOLVERS[name])
    options.dparam[sn.SICONOS_DPARAM_TOL] = 0.1 * tolerance
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = LIMIT[name]
    r, u = np.zeros(3 * len(mu)), np.zeros(3 * len(mu))
    begin = time.process_time()
    driver = {
        "siconos-nsgs": sn.fc3d_nsgs,
        "siconos-nsn-ac": sn.fc3d_nonsmooth_Newton_AlartCurnier,
        "siconos-admm": sn.fc3d_admm,
        "siconos-prox": sn.fc3d_proximal,
        "siconos-tfp": sn.fc3d_TrescaFixedPoint,
    }[name]
    driver(problem, r, u, options)
    seconds = time.process_time() - begin
    return r, seconds, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE])


def work(pipe, name, w, q, mu, tolerance):
    r, seconds, n = solve(name, w, q, mu, tolerance)
    if seconds < 0.02:
        seconds = min([seconds] + [solve(name, w, q, mu, tolerance)[1] for _ in range(4)])
    pipe.send((r, seconds, n))


def within(limit, *task):
    """The impulses, CPU time (s) and iterations of a task, or zero impulses if it takes longer than the limit."""
    mine, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=work, args=(theirs, *task))
    process.start()
    found = mine.recv() if mine.poll(limit) else (np.zeros(3 * len(task[3])), limit, 0)
    process.kill()
    process.join()
    return found


def main(folder, out, limit, tolerances):
    sn.numerics_set_verbose(0)
    with open(out, "x", newline="") as file:
        table = csv.writer(file)
        table.writerow(["problem", "blocks", "solver", "tolerance", "outcome", "residual", "iterations", "products",
                        "factorizations", "cpu_s"])
        for path in sorted(pathlib.Path(folder).glob("*.npz")):
            w, q, mu = read(path)
            for name in SOLVERS:
                for tolerance in tolerances:
                    r, seconds, n = within(limit, name, w, q, mu, tolerance)
                    found = residual(w, q, mu, r)
                    outcome = "solved" if found <= tolerance else "out of iterations or time"
                    table.writerow([path.stem, len(mu), name, f"{tolerance:e}", outcome, f"{found:e}", n, 0, 0, f"{seconds:e}"])
                    file.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), [float(x) for x in sys.argv[4:]] or [1e-4, 1e-8, 1e-12])
