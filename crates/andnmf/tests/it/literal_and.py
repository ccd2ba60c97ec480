"""Algorithm 1 as it is printed, full-batch, in plain numpy: an independent check of the iterates.

literal_and.py SAMPLES.npy INIT.npy OUT.npy STAGES STEP
Rows are samples (n x W) and components (K x W). Stage j = 0, 1, ... uses the threshold 0.1 / 1.1**j and takes
50 gradient steps on the sum over samples, each recomputed from scratch.
"""

import sys

import numpy as np


def stage(samples, components, threshold, step):
    weights = samples @ np.linalg.pinv(components)
    weights[weights < threshold] = 0.0
    for _ in range(50):
        residual = samples - weights @ components
        components = components + step * (weights.T @ residual)
    return components


def main():
    samples, components = np.load(sys.argv[1]), np.load(sys.argv[2])
    stages, step = int(sys.argv[4]), float(sys.argv[5])
    for j in range(stages):
        components = stage(samples, components, 0.1 / 1.1**j, step)
    np.save(sys.argv[3], components)


if __name__ == "__main__":
    main()
